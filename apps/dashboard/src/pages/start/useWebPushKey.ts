import { api } from '../../api/client.ts'
import { faultOf } from '../../api/fault.ts'
import { queryClient } from '../../api/queryClient.ts'

/** The app's public key of Web Push: undefined until it is known, null when there is none yet. `make` makes the pair with the operator's address. */
export function useWebPushKey(appId: string) {
  const path = { appId }
  const options = api.queryOptions('get', '/v1/admin/apps/{appId}/providers/webpush', { params: { path } })
  const read = api.useQuery(
    'get',
    '/v1/admin/apps/{appId}/providers/webpush',
    { params: { path } },
    { retry: (count, error) => faultOf(error).status !== 404 && count < 3 },
  )
  const making = api.useMutation('put', '/v1/admin/apps/{appId}/providers/webpush', {
    onSuccess: () => queryClient.invalidateQueries({ queryKey: options.queryKey }),
  })
  const isMissing = read.error !== null && faultOf(read.error).status === 404
  return {
    publicKey: making.data?.publicKey ?? read.data?.publicKey ?? (isMissing ? null : undefined),
    readError: isMissing ? null : read.error,
    making,
    make: (address: string) => making.mutate({ params: { path }, body: { subject: subjectOf(address) } }),
  }
}

/** An e-mail address or an https address as VAPID wants it (RFC 8292, 2.1). */
export const subjectOf = (address: string): string => {
  const text = address.trim()
  return /^(mailto:|https:)/i.test(text) ? text : `mailto:${text}`
}
