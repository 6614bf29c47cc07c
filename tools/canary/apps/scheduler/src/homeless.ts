import 'bcrypt';
import 'bullmq';
import 'ioredis';
import 'mongoose';
import 'prom-client';
import 'undici';
import 'ws';
import 'react';
