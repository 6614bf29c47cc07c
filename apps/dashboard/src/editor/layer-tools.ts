/** What is opened above the arguments of a layer, loaded together: apart they would cut what all pages load into smaller pieces. */
export { SampleData } from './sample-data';
export { TryLayer } from './try-layer';
