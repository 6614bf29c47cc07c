import { testCaseShape } from '@weft/shapes';
import { bodyOf } from '../../http/body-of.js';

export class CreateTestCaseBody extends bodyOf(testCaseShape) {}

export class UpdateTestCaseBody extends bodyOf(testCaseShape.partial()) {}
