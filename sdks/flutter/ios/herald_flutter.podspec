Pod::Spec.new do |s|
  s.name = 'herald_flutter'
  s.version = '0.2.0'
  s.summary = 'Push notifications for Flutter with Herald.'
  s.license = { :file => '../LICENSE' }
  s.homepage = 'https://push.example.com'
  s.author = 'Herald'
  s.source = { :path => '.' }
  s.ios.deployment_target = '15.0'
  s.source_files = 'herald_flutter/Sources/herald_flutter/**/*.swift'
  s.swift_version = '5.9'
  s.dependency 'Flutter'
end
