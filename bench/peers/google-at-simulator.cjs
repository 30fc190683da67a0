// Loaded before a peer (node --require): its TLS connections to Google go to the simulator, whose addresses stand in the environment. firebase-admin knows
// no other address than Google's, and neither it nor any library is changed for this.
const tls = require('node:tls')

const { connect } = tls
const simulated = {
  'fcm.googleapis.com': process.env.PEER_FCM_PORT,
  'oauth2.googleapis.com': process.env.PEER_OAUTH_PORT,
  'www.googleapis.com': process.env.PEER_OAUTH_PORT,
}

/** As tls.connect: (options), (port, options) or (port, host, options), each with a callback or without. HTTP/2 gives the port as text. */
tls.connect = (...args) => {
  const options = args.find((arg) => typeof arg === 'object' && arg !== null) ?? {}
  const host = typeof args[1] === 'string' ? args[1] : options.host
  const port = simulated[host]
  if (port === undefined) return connect(...args)
  const callback = args.find((arg) => typeof arg === 'function')
  return connect({ ...options, host: '127.0.0.1', port: Number(port), servername: 'localhost' }, callback)
}
