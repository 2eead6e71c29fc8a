# assemble.sh rejects a page if a module imports a name that no module exports.
root=$DATA/../..
cp -r "$root/render/page" page
sh page/assemble.sh whole.html && grep -c 'startPage(parts)' whole.html
echo '-- a private name'
sed -i 's/^export const byId/const byId/' page/js/flame_dom.js
sh page/assemble.sh out.html 2>&1 | head -n 2
echo '-- a circle'
cp "$root/render/page/js/flame_dom.js" page/js
sed -i '2i import { Page } from '\''./flame_page.js'\'';' page/js/flame_dom.js
sh page/assemble.sh out.html >out 2>&1 || head -n 1 out
