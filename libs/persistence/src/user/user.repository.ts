import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { emailKey } from './email-key.js';
import { USERS, type UserDocument } from './user.schema.js';

export class UserRepository {
  constructor(private readonly mongo: Mongo) {}

  /** A user who has a place in the company, whatever the role. */
  async findMember(scope: TenantScope, id: string): Promise<UserDocument | null> {
    return this.users().findOne({ _id: id, 'company_roles.company_id': scope.companyId });
  }

  /** For sign-in, which knows no company yet. */
  async findByEmail(_scope: SystemScope, email: string): Promise<UserDocument | null> {
    return this.users().findOne({ email_key: emailKey(email) });
  }

  private users(): mongo.Collection<UserDocument> {
    return this.mongo.collection<UserDocument>(USERS);
  }
}
