import '@weft/access';
