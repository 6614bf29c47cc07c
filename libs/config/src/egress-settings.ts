import { egressRules, flag } from './parse.js';
import { operatorsOnly, setting } from './setting-entry.js';

/** What of the network may be called by what users wrote. */
export const EGRESS = {
  'egress.allow': operatorsOnly(
    setting(
      'EGRESS_ALLOW',
      'Private addresses that modules may call: CIDRs, each with an optional port; IPv6 with a port in brackets.',
      egressRules,
      [],
    ),
  ),
  'egress.deny': operatorsOnly(
    setting(
      'EGRESS_DENY',
      'Addresses that modules may not call, in the format of EGRESS_ALLOW, which they override: e.g. public addresses of your own services.',
      egressRules,
      [],
    ),
  ),
  'egress.refuse_own_networks': operatorsOnly(
    setting(
      'EGRESS_REFUSE_OWN_NETWORKS',
      'Whether public addresses in the networks of the machine are refused unless EGRESS_ALLOW names them. Its own addresses always are.',
      flag,
      false,
    ),
  ),
} as const;
