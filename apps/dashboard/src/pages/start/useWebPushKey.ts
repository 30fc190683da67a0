import { api } from '../../api/client.ts'
import { queryClient } from '../../api/queryClient.ts'

/** The app's public key of Web Push: undefined until it is known, null when there is none yet. `make` makes the pair with the operator's address. */
export function useWebPushKey(appId: string) {
  const path = { appId }
  // The overview tells whether there are keys. Asking for keys that do not exist would log an error in the console.
  const overview = api.useQuery('get', '/v1/admin/apps/{appId}/overview', { params: { path } }, { staleTime: 30_000 })
  const isSet = overview.data?.providers.some(({ kind, configured }) => kind === 'webpush' && configured)
  const read = api.useQuery('get', '/v1/admin/apps/{appId}/providers/webpush', { params: { path } }, { enabled: isSet === true })
  const making = api.useMutation('put', '/v1/admin/apps/{appId}/providers/webpush', {
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['get', '/v1/admin/apps/{appId}/overview'] }),
  })
  return {
    publicKey: making.data?.publicKey ?? read.data?.publicKey ?? (isSet === false ? null : undefined),
    readError: read.error ?? overview.error,
    making,
    make: (address: string) => making.mutate({ params: { path }, body: { subject: subjectOf(address) } }),
  }
}

/** An e-mail address or an https address as VAPID wants it (RFC 8292, 2.1). */
export const subjectOf = (address: string): string => {
  const text = address.trim()
  return /^(mailto:|https:)/i.test(text) ? text : `mailto:${text}`
}
