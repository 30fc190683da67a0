importScripts('/herald/worker.iife.js')
Herald.start()
