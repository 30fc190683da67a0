// Loaded before a peer, another push server (node --require). It leads the peer's TLS connections to Google to the simulator, whose addresses are in
// the environment. firebase-admin can be given no other address than Google's, and no library is changed for this.
const tls = require('node:tls')

const { connect } = tls
const simulated = {
  'fcm.googleapis.com': process.env.PEER_FCM_PORT,
  'oauth2.googleapis.com': process.env.PEER_OAUTH_PORT,
  'www.googleapis.com': process.env.PEER_OAUTH_PORT,
}

/**
 * Takes the arguments of tls.connect: (options), (port, options) or (port, host, options), each with or without a callback. HTTP/2 gives the port as
 * text.
 */
tls.connect = (...args) => {
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) ?? {}
  const host = typeof args[1] === 'string' ? args[1] : options.host
  const port = simulated[host]
  if (port === undefined) return connect(...args)
  const callback = args.find((arg) => typeof arg === 'function')
  return connect({ ...options, host: '127.0.0.1', port: Number(port), servername: 'localhost' }, callback)
}
