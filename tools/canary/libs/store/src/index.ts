import '@weft/records';
