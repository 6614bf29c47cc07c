/** What headers say of a form (RFC 7578) and of its parts. Pure. */
const BOUNDARY = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i;

export function boundaryOf(contentType: string): string | undefined {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** @param headers of a part @param name in lower case */
export function headerOf(headers: string, name: string): string | undefined {
  const line = headers.split('\r\n').find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** Browsers and curl write `"` in a name as `%22` or `\"`; the form `name*=UTF-8''…` is not allowed in forms. */
export function parameterOf(disposition: string, name: string): string | undefined {
  const [, quoted, bare] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(disposition) ?? [];
  return quoted?.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"') ?? bare;
}
