import { triggerShape } from '@weft/shapes';
import { bodyOf } from '../http/body-of.js';

export class CreateTriggerBody extends bodyOf(triggerShape) {}

export class UpdateTriggerBody extends bodyOf(triggerShape.partial()) {}
