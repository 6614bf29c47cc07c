// What a process does before it loads any package. Each program of the product imports it first.
import './require-node.js';
import './fast-strings.js';
import './fast-requests.js';
