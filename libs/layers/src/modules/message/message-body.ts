/** The body that the webhooks of chat services accept. */

type Fields = Readonly<Record<string, string | number | boolean | null>>;

interface Field {
  readonly name: string;
  readonly value: string;
}

/** @param type of the integration link */
export function messageBody(type: string, text: string, fields: Fields): object {
  const shown = Object.keys(fields).flatMap((name): Field[] => {
    const value = fields[name];
    return value === null || value === undefined ? [] : [{ name, value: String(value) }];
  });
  switch (type.toLowerCase()) {
    case 'slack':
      return { text, ...(shown.length > 0 && { blocks: slackBlocks(text, shown) }) };
    case 'discord':
      // a value that contains a mention notifies nobody
      return {
        content: text,
        allowed_mentions: { parse: [] },
        ...(shown.length > 0 && {
          embeds: [{ fields: shown.slice(0, 25).map((field) => ({ ...field, inline: true })) }],
        }),
      };
    case 'teams':
      return { type: 'message', attachments: [teamsCard(text, shown)] };
    default:
      return { text, fields };
  }
}

function slackBlocks(text: string, fields: readonly Field[]): object[] {
  const plain = (value: string) => ({ type: 'plain_text', text: value });
  const cells = fields.slice(0, 10).map(({ name, value }) => plain(`${name}\n${value}`));
  return [
    { type: 'section', text: plain(text.slice(0, 3_000)) },
    { type: 'section', fields: cells },
  ];
}

function teamsCard(text: string, fields: readonly Field[]): object {
  const facts = fields.map(({ name, value }) => ({ title: name, value }));
  return {
    contentType: 'application/vnd.microsoft.card.adaptive',
    content: {
      type: 'AdaptiveCard',
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      version: '1.4',
      body: [{ type: 'TextBlock', text, wrap: true }, ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : [])],
    },
  };
}
