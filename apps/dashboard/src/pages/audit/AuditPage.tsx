import { Page } from '../../ui/Page.tsx'

/** Not made yet. */
export function AuditPage() {
  return <Page title="Audit">Not made yet.</Page>
}
