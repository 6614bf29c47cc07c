import '@weft/testing';
import './gone.js';
