import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { SESSION_ONLY, SIGNED_IN, type Principal } from '@weft/access';
import { apiPaths } from '../http/api-paths.js';
import { Refuses } from '../http/refuses.js';
import { Origin, type RequestOrigin } from '../http/request-origin.js';
import { AnswersNothing } from '../http/schema.js';
import { AcceptLinkBody, ChangePasswordBody } from './auth.requests.js';
import { Caller } from './caller.js';
import { PasswordsService } from './passwords.service.js';
import { Public, Requires } from './requires.js';

@ApiTags('Signing in')
@Controller(apiPaths('auth/password'))
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Post()
  @HttpCode(204)
  @Requires(SIGNED_IN, SESSION_ONLY)
  @Refuses('invalid_credentials', 'too_many_attempts', 'weak_password', 'password_too_long')
  @ApiOperation({ summary: 'Change your password; your other sessions end' })
  @AnswersNothing('The new password holds.')
  async change(
    @Caller() caller: Principal,
    @Body() body: ChangePasswordBody,
    @Origin() origin: RequestOrigin,
  ): Promise<void> {
    await this.passwords.change(caller, body.current_password, body.new_password, origin);
  }

  @Post('accept')
  @HttpCode(204)
  @Public()
  @Refuses('token_invalid', 'too_many_attempts', 'weak_password', 'password_too_long')
  @ApiOperation({ summary: 'Choose a password by the link of an invitation or of a reset' })
  @AnswersNothing('The password holds: sign in with it.')
  async accept(@Body() body: AcceptLinkBody, @Origin() origin: RequestOrigin): Promise<void> {
    await this.passwords.accept(body.token, body.password, origin);
  }
}
