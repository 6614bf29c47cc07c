import { certificateFile } from './certificate-file.js';
import { egressRules, flag, hiddenUri, oneOf } from './parse.js';
import { operatorsOnly, secret, setting } from './setting-entry.js';

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
  'egress.proxy': secret(
    'EGRESS_PROXY',
    'Proxy through which modules call public addresses, by CONNECT; those of EGRESS_ALLOW are called directly. Empty: no proxy.',
    hiddenUri(['http', 'https'], 'http://proxy.example.org:3128'),
    null,
  ),
  'egress.proxy_target': operatorsOnly(
    setting(
      'EGRESS_PROXY_TARGET',
      'What the proxy is asked to connect to: the address that was resolved and checked here, or the name. With name, the proxy itself must refuse private addresses.',
      oneOf('address', 'name'),
      'address',
    ),
  ),
  'egress.ca': operatorsOnly(
    setting(
      'EGRESS_CA',
      'File with certificates (PEM) of authorities that are trusted in calls of modules, in addition to those that Node trusts.',
      certificateFile,
      null,
    ),
  ),
} as const;
