import '@weft/host';
