import { Module } from '@nestjs/common';
import { PlaysModule } from '../plays/plays.module.js';
import { DownloadsService } from './downloads.service.js';
import { PayloadsController } from './payloads.controller.js';
import { UploadsService } from './uploads.service.js';

/** Files of users: uploads, and what layers stored. */
@Module({
  imports: [PlaysModule],
  controllers: [PayloadsController],
  providers: [UploadsService, DownloadsService],
  exports: [DownloadsService, UploadsService],
})
export class PayloadsModule {}
