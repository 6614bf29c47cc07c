/** The overlay of an API in its form: text of JSON or YAML. */
import { Refusal } from '../api/refusal';

type Overlay = Record<string, unknown>;

export function overlayText(overlay: Overlay | null): string {
  return overlay === null ? '' : JSON.stringify(overlay, null, 2);
}

/** Null: none. @throws Error which says why the text is not an overlay */
export async function readOverlay(text: string): Promise<Overlay | null> {
  if (text.trim() === '') return null;
  const given = await parsed(text);
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Overlay;
  throw new Error('The overlay is not an object: it begins with "overlay: 1.0.0", and lists its actions.');
}

async function parsed(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // loaded by those alone who write it
    const { parse } = await import('yaml');
    return parse(text);
  }
}

/** What the server has against it, with the place. */
export function overlayFaultOf(error: unknown): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const fault = error.problem?.errors.find(({ path }) => path === 'overlay' || path.startsWith('overlay.'));
  return fault && (fault.message.startsWith(fault.path) ? fault.message : `${fault.path} ${fault.message}`);
}
