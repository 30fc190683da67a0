/** Printed by `herald` and `herald --help`. */
export const overview = `herald: push notifications from a terminal

  herald login                     keep the address and a token of Herald
  herald logout                    forget them
  herald whoami                    say which Herald it is, and with which key
  herald send --to customer-7 --title Hi --body There
                                   send, and follow it to its outcome
  herald tail                      show events of pushes as they happen
  herald listen --forward <url>    post the same events to a receiver on this machine, signed
  herald explain <campaign> <who>  say why a user or device got a campaign, or did not
  herald import users.csv          import devices from OneSignal, a CSV or JSON lines
  herald pull                      write an app's segments, templates, webhooks and settings to herald.yaml
  herald apply herald.yaml         bring an app to what the file says
  herald mcp                       serve tools for an assistant over stdin and stdout
  herald doctor                    find out what is wrong, and what to do about it

herald <command> --help says more. HERALD_URL, HERALD_TOKEN and HERALD_APP are used instead of what \`herald login\` kept.
Exit codes: 0 it worked, 1 something failed, 2 the command was not understood (\`doctor\`: or something could not be checked;
\`apply --dry-run\`: or Herald differs from the file).`

const app = '  --app <id or name>   the app; otherwise HERALD_APP, that of the login, or the only one'
const json = '  --json               JSON for a script'

export const help: Record<string, string> = {
  login: `herald login [--url <address>] [--app <id or name>]

Asks for the address of Herald and for a token, tries them, and keeps them in a file that you alone can read. The token is an
administration key of one app (ak_live_…, dashboard, Keys), the administration token, or a secret key, for \`send\` alone. It is typed
without being shown, or piped in; it is never an argument. With an administration key no command needs --app.`,

  logout: `herald logout

Removes the file that \`herald login\` wrote. Herald still takes the token that was in it; a key ends when it is revoked.`,

  whoami: `herald whoami

Says which Herald the commands talk to, and whether the token is the administration token, an administration key (its name, app and
scopes; the scope read is needed to see them) or a secret key. Exit code 1 when Herald does not take it.

${json}`,

  send: `herald send --to <external id> [--to …] --title <text> --body <text>
herald send --segment <name or id> | --all | --file send.json

Sends a notification and follows it to its outcome. Exit code 1 when a push failed, no device was reached, or the send did not end in
time.

  --to <external id>   a user; may be given several times
  --segment <segment>  a saved segment, by name or id
  --all                everyone
  --title, --body      the text, which may have placeholders: "Hi {{ user.externalId }}"
  --language <code>    the language of the text; en by default
  --url, --image       the address that a tap opens, and the address of the picture
  --data <key=value>   data for your mobile app or page; may be given several times
  --file <file>        the body of POST /v1/notifications as JSON; other options replace what the file says
  --dry-run            say whom it would reach and what would be skipped; nothing is sent
  --yes                send to a segment or everyone without being asked
  --key <key>          an idempotency key: two sends with the same key within 24 hours are sent once
  --within <seconds>   how long to wait for the end; 60 by default
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
x-service-signature. It prints a new secret each time, unless HERALD_WEBHOOK_SECRET holds one, and then a line for each answer.
It posts a batch up to 5 times, with pauses of 1, 2, 4 and 8 s, while the receiver answers 5xx, 429, 408 or nothing.

  --forward <url>      the address to post to
  --events <types>     only these types, with commas between them: notification.failed,campaign.completed
${app}`,

  explain: `herald explain <campaign> <device, user or external id>

Says why each device got the campaign or did not, step by step.

${app}
${json}`,

  import: `herald import <file> [--from onesignal|csv|jsonl]

Shows what becomes of each column, makes a dry run of the file, and asks before it imports. When an import was cut off, the same command
goes on where it was. Rejected rows are written to <file>.rejected.csv or .jsonl, and the reasons to <file>.rejected.txt. Exit code 1
when rows were rejected; browsers that were skipped are only a warning. The file may be compressed with gzip (.gz).

  --from <format>      the format of the file; without it OneSignal's header or the ending of the file's name decides
  --column <field=column>  which column holds a field, for csv; may be given several times
  --update             overwrite devices that Herald knows already, instead of keeping them as they are
  --with-browsers      import browsers too (read docs/import.md of Herald first)
  --assume-opted-in    take a OneSignal export without the column notification_types: all its devices count as opted in
  --dry-run            try the file and import nothing
  --yes                import without being asked
  --cancel             end the app's open import
${app}
${json}`,

  pull: `herald pull [herald.yaml]

Writes the segments, templates, webhooks (without their secrets) and settings of an app to a YAML file, always in the same order. With - as
the file it prints the text. An administration key needs the scope read.

${app}`,

  apply: `herald apply [herald.yaml] [--dry-run]

Shows how an app differs from the file, asks, and brings the app to what the file says. Segments and templates are the same by their name,
webhooks by their URL. Nothing is deleted without --prune, and a section that is not in the file is not touched. An administration key needs
the scopes read and send, settings for webhooks and settings, and people to name the URL of a new webhook.
Exit codes: 0 nothing to do, or all was applied; 1 something failed; 2 a dry run found a difference, or the command was not understood.

  --dry-run            show the difference and change nothing
  --prune              delete segments, templates and webhooks that the file does not name, in the sections that it has
  --yes                apply without being asked
${app}
${json}`,

  mcp: `herald mcp [--allow-send]

Serves tools of the Model Context Protocol over stdin and stdout, for an assistant that starts this command: overview, campaigns, campaign,
explain, dry_run and segment_preview. They change nothing. The scopes of the key hold: read, people for explain, send for dry_run.

  --allow-send         a further tool, send, to a segment or as a test to a device. The person at the client confirms each send; a client
                       that cannot ask its user sends nothing
${app}`,

  doctor: `herald doctor
herald doctor --device <subscription id>

Checks the connection to Herald (TLS, clock, proxy, streams), its database, queue and ledger, and the credentials, circuits and webhooks of the
app. What it could not check it shows with a question mark, for instance because the key lacks a scope.
Exit codes: 0 all is well, 1 something is to be mended, 2 nothing is known to be wrong, and something could not be checked.

  --device <id>        send a test to one device and wait for what it must report: delivered, opened
  --within <seconds>   how long to wait for the device; 60 by default
${app}
${json}`,
}
