import '@weft/expressions';
