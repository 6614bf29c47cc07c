import { describeLeftOutValues } from '../../../../../test/fixtures/left-out-values.js';
import * as code from './fill-left-out.js';

describeLeftOutValues(code);
