import '@weft/layers';
