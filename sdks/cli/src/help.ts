/** Printed by `herald` and `herald --help`. */
export const overview = `herald: push notifications from a terminal

  herald login                     keep the address and a token of Herald
  herald send --to customer-7 --title Hi --body There
                                   send, and follow it to its outcome
  herald tail                      what happens to pushes, as it happens
  herald listen --forward <url>    post the same to a receiver on this machine, signed
  herald explain <campaign> <who>  why somebody got it, or did not
  herald import users.csv          devices from OneSignal, a CSV or JSON lines
  herald doctor                    what is wrong, and what to do about it

herald <command> --help says more. HERALD_URL, HERALD_TOKEN and HERALD_APP are used instead of what \`herald login\` kept.
Exit codes: 0 it worked, 1 something failed, 2 the command was not understood.`

const app = '  --app <id or name>   the app; otherwise HERALD_APP, that of the login, or the only one'
const json = '  --json               JSON for a script'

export const help: Record<string, string> = {
  login: `herald login [--url <address>] [--app <id or name>]

Asks for the address of Herald and for the administration token (or a secret key, for \`send\` alone), tries them, and keeps them in a
file that you alone can read. The token is typed without being shown, or piped in; it is never an argument.`,

  send: `herald send --to <external id> [--to …] --title <text> --body <text>
herald send --segment <name or id> | --all | --file send.json

Sends a notification and follows it to its outcome. Exit code 1 when a push failed or nobody was reached.

  --to <external id>   a person; may be given several times
  --segment <segment>  a saved segment, by name or id
  --all                everyone
  --title, --body      the text, with placeholders if you like: "Hi {{ user.externalId }}"
  --language <code>    what language it is, en unless said
  --url, --image       what it opens, and its picture
  --data <key=value>   given to the app; may be given several times
  --file <file>        the body of POST /v1/notifications as JSON; other options replace what the file says
  --dry-run            say whom it would reach and what would be skipped; nothing is sent
  --yes                send to a segment or everyone without being asked
  --key <key>          an idempotency key: two sends with the same key within 24 hours are sent once
  --within <seconds>   how long to follow it, 60 unless said
${app}
${json}`,

  tail: `herald tail [--failed] [--campaign <id>]

Shows what webhook endpoints would get as it happens, a line each: time, what, platform, who, campaign, code. Ctrl-C ends it.

  --failed             only failed pushes and invalidated devices
  --campaign <id>      only the pushes of one campaign
${app}
${json}`,

  listen: `herald listen --forward http://localhost:3000/hooks

Posts events to a receiver on this machine as Herald posts them to a webhook endpoint: batches of up to 1 s or 100 events, with
x-service-signature. The secret is printed first, and is new each time unless HERALD_WEBHOOK_SECRET holds one. A line tells each answer.
What is not taken is tried 5 times within 15 s.

  --forward <url>      the address to post to
  --events <types>     only these types, with commas between them: notification.failed,campaign.completed
${app}`,

  explain: `herald explain <campaign> <device, user or external id>

Says of each device why it got the campaign or did not, step by step.

${app}
${json}`,

  import: `herald import <file> [--from onesignal|csv|jsonl]

Shows what becomes of each column, tries the file without writing, and asks before it imports. Cut off, the same command goes on
where it was. Rejected rows are written to <file>.rejected.csv, and why to <file>.rejected.txt. Exit code 1 when there are some.

  --from <format>      the format of the file; without it the ending of the file's name decides
  --column <field=column>  which column holds a field, for csv; may be given several times
  --update             register devices that are known again, instead of keeping them as they are
  --with-browsers      import browsers too (read docs/import.md of Herald first)
  --dry-run            try the file and import nothing
  --yes                import without being asked
  --cancel             end the import of the app that is open
${app}
${json}`,

  doctor: `herald doctor
herald doctor --device <subscription id>

Looks at the way to Herald (TLS, clock, proxy, streams), at its database, queue and ledger, and at the credentials, circuits and webhooks of the
app. Exit code 1 when something is to be mended.

  --device <id>        send a test to one device and wait for what it must report: delivered, opened
  --within <seconds>   how long to wait for the device, 60 unless said
${app}
${json}`,
}
