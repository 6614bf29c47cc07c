import '@weft/config';
