sjkc help completion
