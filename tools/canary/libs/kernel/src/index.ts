import '@weft/contracts';
