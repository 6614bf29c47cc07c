import '@weft/store';
