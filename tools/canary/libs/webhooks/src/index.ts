import '@weft/process';
