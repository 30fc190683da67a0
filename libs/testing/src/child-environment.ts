/** What a process that a test starts gets of the test's environment: where programs are, and where Node keeps compiled code. */
export const childEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
