import '@weft/engine';
