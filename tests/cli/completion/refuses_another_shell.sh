sjkc completion tcsh
