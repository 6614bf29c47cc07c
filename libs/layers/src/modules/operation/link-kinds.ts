import type { ApiFacts, OperationPlan } from '@weft/openapi';
import type { LinkKind } from '@weft/shapes';

type Scheme = Readonly<Record<string, unknown>>;

/** The kinds of links that show the credentials of one of the choices in `security`, the first choice first. */
export function linkKindsFor(security: OperationPlan['security'], schemes: ApiFacts['schemes']): readonly LinkKind[] {
  const kinds = security.flatMap((uses): readonly LinkKind[] => {
    const [only, ...others] = uses;
    if (!only) return [];
    // one link shows several credentials in headers only
    if (others.length > 0) return ['headers'];
    return Object.hasOwn(schemes, only.scheme) ? kindsOf(schemes[only.scheme] ?? {}) : [];
  });
  return [...new Set(kinds)];
}

function kindsOf({ type, scheme, in: place }: Scheme): readonly LinkKind[] {
  switch (type) {
    case 'http':
      return String(scheme).toLowerCase() === 'basic' ? ['basic'] : ['bearer'];
    case 'apiKey':
      return place === 'query' ? ['query'] : ['header', 'headers'];
    case 'oauth2':
    case 'openIdConnect':
      return ['oauth2', 'oauth2_client_credentials', 'bearer'];
    default:
      return [];
  }
}
