/** The functions that expressions may call: those of JSONata except `$eval`, which would run data as an expression, and Weft's own. */
export const JSONATA_FUNCTIONS: readonly string[] = `
  sum count max min average number floor ceil round abs sqrt power random string substring substringBefore
  substringAfter lowercase uppercase length trim pad match contains replace split join formatNumber
  formatBase formatInteger parseInteger boolean not map zip filter single reduce sift keys lookup append
  exists spread merge reverse each error assert type sort shuffle distinct clone base64encode base64decode
  encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl toMillis fromMillis now millis
  parseJson parseXml text csv toCsv
`
  .trim()
  .split(/\s+/);
