import type { Role } from '@weft/access';
import { ApiClient } from '@weft/testing';
import { People } from '../../fixtures/people.js';
import type { Fleet } from './fleet.js';

/** A user who existed before the test. */
export async function signedIn({ servers, admin }: Fleet, role: Role, companyId: string): Promise<ApiClient> {
  const cookie = await People.in(servers, (people) => people.signedIn(companyId, role));
  return new ApiClient(admin.url, { cookie });
}

/** The admin of another company of the same installation. */
export async function neighbourCompany(fleet: Fleet): Promise<ApiClient> {
  const companyId = await People.in(fleet.servers, (people) => people.company('The neighbours'));
  return signedIn(fleet, 'admin', companyId);
}
