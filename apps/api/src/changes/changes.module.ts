import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { PlaysModule } from '../plays/plays.module.js';
import { ChangePasses } from './change-passes.js';
import { ChangeReader } from './change-reader.js';
import { ChangesController } from './changes.controller.js';
import { ChangesService } from './changes.service.js';

/** Every change of the company's plays over plain HTTP. */
@Module({
  imports: [IdentityModule, PlaysModule],
  controllers: [ChangesController],
  providers: [ChangePasses, ChangeReader, ChangesService],
  exports: [ChangePasses],
})
export class ChangesModule {}
