import '@weft/identity';
