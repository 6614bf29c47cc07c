import '@weft/kernel';
