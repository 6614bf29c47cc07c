import { egressRules, flag } from './parse.js';
import { operatorsOnly, setting } from './setting-entry.js';

/** What of the network may be called by what users wrote. */
export const EGRESS = {
  'egress.allow': operatorsOnly(
    setting(
      'EGRESS_ALLOW',
      'Inner addresses that modules may call: CIDRs, each with an optional port; IPv6 with a port in brackets.',
      egressRules,
      [],
    ),
  ),
  'egress.deny': operatorsOnly(
    setting(
      'EGRESS_DENY',
      'Addresses that modules may not call, written as for EGRESS_ALLOW and stronger than it: e.g. those by which your own services are reached from outside.',
      egressRules,
      [],
    ),
  ),
  'egress.refuse_own_networks': operatorsOnly(
    setting(
      'EGRESS_REFUSE_OWN_NETWORKS',
      'Whether public addresses of the networks that the machine is in are refused unless EGRESS_ALLOW names them, as its own addresses always are.',
      flag,
      false,
    ),
  ),
} as const;
