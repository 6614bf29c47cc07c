/** Overlays mend documents: OpenAPI Overlay 1.0, https://spec.openapis.org/overlay/v1.0.0. */
import { jsonpath } from 'json-p3';
import { messageOf } from '../document/parse-document.js';
import { isObject, own, textOf, type JsonObject } from '../json.js';
import { MAX_OVERLAY_ACTIONS, MAX_OVERLAY_CHARS, MAX_TARGET_CHARS } from '../limits.js';

export interface OverlayAction {
  /** JSONPath (RFC 9535). */
  readonly target: string;
  readonly update?: unknown;
  readonly remove?: boolean;
}

export interface Overlay {
  readonly overlay: string;
  readonly actions: readonly OverlayAction[];
}

export interface OverlayFault {
  /** Of what is wrong, `actions.2.target`; empty: of the overlay itself. */
  readonly path: string;
  readonly message: string;
}

/** What is wrong with an overlay, before it meets a document; null: nothing. */
export function overlayFault(given: JsonObject): OverlayFault | null {
  const version = textOf(given, 'overlay') ?? '';
  if (!/^1\.\d+(\.|$)/.test(version))
    return { path: 'overlay', message: 'must be the version of the overlay, "1.0.0"' };
  if (JSON.stringify(given).length > MAX_OVERLAY_CHARS) {
    return { path: '', message: `must have at most ${MAX_OVERLAY_CHARS} characters of JSON` };
  }
  const { actions } = given;
  if (!Array.isArray(actions) || actions.length === 0 || actions.length > MAX_OVERLAY_ACTIONS) {
    return { path: 'actions', message: `must be a list of 1 to ${MAX_OVERLAY_ACTIONS} actions` };
  }
  for (const [i, action] of actions.entries()) {
    const fault = actionFault(action);
    if (fault) return { ...fault, path: `actions.${i}${fault.path}` };
  }
  return null;
}

function actionFault(action: unknown): OverlayFault | null {
  if (!isObject(action)) return { path: '', message: 'must be an object with "target", and "update" or "remove"' };
  const target = textOf(action, 'target');
  if (target === undefined || target.length > MAX_TARGET_CHARS) {
    return { path: '.target', message: `must be a JSONPath of at most ${MAX_TARGET_CHARS} characters` };
  }
  try {
    jsonpath.compile(target);
  } catch (error) {
    return { path: '.target', message: `is not a JSONPath of RFC 9535: ${messageOf(error)}` };
  }
  const remove = own(action, 'remove');
  if (remove !== undefined && typeof remove !== 'boolean') return { path: '.remove', message: 'must be true or false' };
  if (remove !== true && own(action, 'update') === undefined) {
    return { path: '', message: 'must have "update", or "remove": true' };
  }
  return null;
}
