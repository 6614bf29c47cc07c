/**
 * The cores of common passwords: lower case, without the digits and signs that people append, because guessing programs try
 * these with such endings first.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password passwort motdepasse contrasena senha parola haslo passphrase mypassword thepassword newpassword
  admin administrator root superuser sysadmin operator weft weftadmin
  changeme changemenow letmein letmeinnow welcome welcomeback default secret topsecret supersecret mysecret
  qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop qwertyuiopasdfghjkl asdfghjkl zxcvbnm qazwsx qazwsxedc
  qwerasdfzxcv asdf asdfasdf asdfghjklzxcvbnm zaq zaqxsw iloveyou iloveyousomuch loveyou princess
  dragon monkey football baseball basketball superman batman starwars pokemon sunshine shadow master michael
  jordan liverpool chelsea computer internet samsung trustno abc abcd abcdef abcdefg abcdefgh abcdefghijkl
  abcdefghijklm abcdefghijklmnopqrstuvwxyz test testtest testing testuser user username login guest demo example
  correcthorsebatterystaple correct-horse-battery-staple whatever nothing unknown access server database company
  january february march april may june july august september october november december
  spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 12345678910 1234567891011 0123456789012
  012345678901 098765432109 987654321098 987654321012 123123123123 121212121212 112233445566 123456123456
  123456654321 12345678912345 111222333444 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv
  q1w2e3r4t5y6 1a2b3c4d5e6f p@ssw0rd p@ssword passw0rd p4ssw0rd pa$$word pa$$w0rd`.split(/\s+/),
);
