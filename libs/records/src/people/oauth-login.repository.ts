import type { mongo } from 'mongoose';
import type { Mongo, SystemScope } from '@weft/store';
import { OAUTH_LOGINS, type OAuthLoginDocument } from './oauth-login.schema.js';

export class OAuthLoginRepository {
  constructor(private readonly mongo: Mongo) {}

  async insert(_scope: SystemScope, login: OAuthLoginDocument): Promise<void> {
    await this.logins().insertOne(login);
  }

  /** The record, once: of two that ask, one gets it. Another browser gets nothing and takes nothing away. */
  async take(_scope: SystemScope, id: string, browserHash: string): Promise<OAuthLoginDocument | null> {
    return this.logins().findOneAndDelete({ _id: id, browser_hash: browserHash });
  }

  private logins(): mongo.Collection<OAuthLoginDocument> {
    return this.mongo.collection<OAuthLoginDocument>(OAUTH_LOGINS);
  }
}
