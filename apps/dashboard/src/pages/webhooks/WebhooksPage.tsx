import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function WebhooksPage() {
  return <Page title="Webhooks">Not made yet.</Page>
}
