import { Module } from '@nestjs/common';
import { KvController } from './kv.controller.js';
import { KvService } from './kv.service.js';

@Module({ controllers: [KvController], providers: [KvService] })
export class KvModule {}
