import 'package:flutter/services.dart';
import 'package:flutter_test/flutter_test.dart';
import 'package:herald_flutter/herald_flutter.dart';

/// Runs with `flutter test`. There was no Dart here, so it has not been run.
void main() {
  TestWidgetsFlutterBinding.ensureInitialized();
  const channel = MethodChannel('dev.herald/herald');
  final messenger = TestDefaultBinaryMessengerBinding.instance.defaultBinaryMessenger;
  final asked = <MethodCall>[];

  Future<void> emit(String name, Map<String, Object?> event) =>
      messenger.handlePlatformMessage(channel.name, channel.codec.encodeMethodCall(MethodCall(name, event)), (_) {});

  setUp(() {
    asked.clear();
    messenger.setMockMethodCallHandler(channel, (call) async {
      asked.add(call);
      if (call.method == 'login') throw PlatformException(code: 'forbidden', message: 'No.', details: 403);
      return call.method == 'register' ? '0123456789abcdef01234567' : null;
    });
  });

  test('a call reaches the phone with its arguments, and its answer comes back', () async {
    await Herald.instance.start(baseUrl: 'https://push.example.com', appKey: 'pk_live_x');
    expect(await Herald.instance.register(), '0123456789abcdef01234567');
    await Herald.instance.setTags({'plan': 'pro', 'old': null});
    expect(asked.map((call) => call.method), ['start', 'listen', 'register', 'setTags']);
    expect(asked.last.arguments, {'tags': {'plan': 'pro', 'old': null}});
  });

  test('a refusal keeps its code and status', () {
    expect(
      Herald.instance.login('customer-7'),
      throwsA(isA<HeraldException>().having((e) => e.code, 'code', 'forbidden').having((e) => e.status, 'status', 403)),
    );
  });

  test('a tap from before somebody listens is given to who listens', () async {
    await emit('tap', {'url': 'https://shop.example', 'action': null, 'data': {'order': '17'}});
    final tap = await Herald.instance.taps.first;
    expect([tap.url, tap.action, tap.data], ['https://shop.example', null, {'order': '17'}]);
  });
}
