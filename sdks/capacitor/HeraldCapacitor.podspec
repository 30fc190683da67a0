require 'json'

package = JSON.parse(File.read(File.join(__dir__, 'package.json')))

Pod::Spec.new do |s|
  s.name = 'HeraldCapacitor'
  s.version = package['version']
  s.summary = package['description']
  s.license = package['license']
  s.homepage = 'https://push.example.com'
  s.author = 'Herald'
  s.source = { :path => '.' }
  s.ios.deployment_target = '15.0'
  s.source_files = 'ios/Sources/**/*.swift'
  s.swift_version = '5.9'
  s.dependency 'Capacitor'
end
