import { useMutation } from '@tanstack/react-query'
import { envFile } from '../../core/snippets.ts'
import { Button } from '../../ui/Button.tsx'
import { Code } from '../../ui/Code.tsx'
import { ErrorNote } from '../../ui/ErrorNote.tsx'
import { Secret } from '../../ui/Secret.tsx'
import { TextLink } from '../../ui/TextLink.tsx'
import { makeKeys, type NewKeys } from './new-keys.ts'

/**
 * Shows the app's new keys. Later it still shows the public key, which is no secret; a secret key is shown only once, so the page offers to make new
 * ones.
 */
export function KeysStep({
  appId,
  baseUrl,
  keys,
  publicKey,
}: {
  appId: string
  baseUrl: string
  keys: NewKeys | undefined
  publicKey: string | undefined
}) {
  const making = useMutation({ mutationFn: () => makeKeys(appId) })
  if (keys === undefined)
    return (
      <>
        {publicKey !== undefined && (
          <dl className="max-w-3xl">
            <dt className="mb-1 font-medium">Public key</dt>
            <dd>
              <Secret text={publicKey} />
            </dd>
          </dl>
        )}
        <p className="max-w-[72ch] text-muted">
          Secret keys are shown once, when they are created. If you have those of this app, go on; if not, create new ones here. All keys
          are under{' '}
          <TextLink to="/apps/$appId/keys" params={{ appId }}>
            Keys
          </TextLink>
          .
        </p>
        {making.error !== null && <ErrorNote error={making.error} />}
        <div>
          <Button busy={making.isPending} onClick={() => making.mutate()}>
            Create both keys
          </Button>
        </div>
      </>
    )
  return (
    <>
      <p className="max-w-[72ch] text-muted">
        Copy both keys now: Herald keeps only their hashes and cannot show them again. The public key goes into pages and apps, the secret
        key stays on your servers.
      </p>
      <dl className="grid max-w-3xl gap-3">
        <div>
          <dt className="mb-1 font-medium">Public key</dt>
          <dd>
            <Secret text={keys.publicKey} />
          </dd>
        </div>
        <div>
          <dt className="mb-1 font-medium">Secret key</dt>
          <dd>
            <Secret text={keys.secretKey} />
          </dd>
        </div>
      </dl>
      <details>
        <summary className="w-fit rounded text-accent">Both as a block for .env</summary>
        <div className="mt-2 max-w-3xl">
          <Code text={envFile({ baseUrl, ...keys })} language=".env" />
        </div>
      </details>
    </>
  )
}
