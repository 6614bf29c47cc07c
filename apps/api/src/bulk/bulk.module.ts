import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { PassesModule } from '@weft/process';
import { PlaysModule } from '../plays/plays.module.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';
import { PlayBulkStrategy } from './play-bulk.strategy.js';

/** Many plays in one call, in the background. */
@Module({
  imports: [IdentityModule, PassesModule, PlaysModule],
  controllers: [BulkController],
  providers: [BulkService, PlayBulkStrategy],
  exports: [BulkService],
})
export class BulkModule {}
