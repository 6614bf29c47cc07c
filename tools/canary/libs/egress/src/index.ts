import '@weft/sandbox';
