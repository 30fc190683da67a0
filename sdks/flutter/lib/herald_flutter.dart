/// Push notifications with Herald.
library;

import 'dart:async';

import 'package:flutter/services.dart';
import 'package:flutter/widgets.dart';

/// The error of a call. It contains no token, key or external id.
class HeraldException implements Exception {
  HeraldException(this.code, this.message, this.status);

  /// One of the SDK's own codes, such as `not_started`, or one that the API answered.
  final String code;
  final String message;

  /// The HTTP status of the answer; 0 when there was none.
  final int status;

  @override
  String toString() => 'HeraldException($code): $message';
}

/// A push that came while the app was open.
class HeraldPush {
  HeraldPush(Map<Object?, Object?> event)
      : title = event['title'] as String?,
        body = event['body'] as String?,
        url = event['url'] as String?,
        data = _dataOf(event);

  final String? title;
  final String? body;
  final String? url;
  final Map<String, Object?> data;
}

/// A tap on a notification. The report is made already.
class HeraldTap {
  HeraldTap(Map<Object?, Object?> event)
      : url = event['url'] as String?,
        action = event['action'] as String?,
        data = _dataOf(event);

  /// The link to open, if there is one.
  final String? url;

  /// The id of the button; null for the notification itself.
  final String? action;
  final Map<String, Object?> data;
}

Map<String, Object?> _dataOf(Map<Object?, Object?> event) =>
    (event['data'] as Map<Object?, Object?>? ?? const {}).map((name, value) => MapEntry('$name', value));

/// Herald on this phone. What cannot be sent now is stored and sent later, in order.
class Herald with WidgetsBindingObserver {
  Herald._() {
    _channel.setMethodCallHandler(_onEvent);
  }

  /// Herald in this app. Call [start] first.
  static final Herald instance = Herald._();

  static const MethodChannel _channel = MethodChannel('dev.herald/herald');

  // A single subscription keeps what comes before somebody listens, such as the tap that has started the app.
  final StreamController<HeraldPush> _pushes = StreamController<HeraldPush>();
  final StreamController<HeraldTap> _taps = StreamController<HeraldTap>();
  FutureOr<String> Function(String externalId)? _identityToken;
  bool _isWatching = false;

  /// The pushes that come while the app is open. Listen once.
  Stream<HeraldPush> get pushes => _pushes.stream;

  /// The taps on notifications, first those from before. Listen once.
  Stream<HeraldTap> get taps => _taps.stream;

  /// Sets the address and the key, and must come before every other call. Call it at every start of the app.
  ///
  /// [identityToken] gives the token that your backend makes for an external id. [group] is the app group on iOS.
  Future<void> start({
    required String baseUrl,
    required String appKey,
    FutureOr<String> Function(String externalId)? identityToken,
    String? group,
  }) async {
    _identityToken = identityToken;
    await _call<void>('start', {
      'baseUrl': baseUrl,
      'appKey': appKey,
      'verifiesIdentity': identityToken != null,
      if (group != null) 'group': group,
    });
    await _call<void>('listen');
  }

  /// Asks for permission to show notifications, and gives whether they may be shown. On Android it does not wait for the answer.
  Future<bool> requestPermission() async => await _call<bool>('requestPermission') ?? false;

  /// Registers this phone, at every start of the app after [start]. Gives the id of the device; null while the user has opted out.
  Future<String?> register() async {
    final id = await _call<String>('register');
    if (!_isWatching) {
      _isWatching = true;
      WidgetsBinding.instance.addObserver(this);
    }
    return id;
  }

  Future<String?> subscriptionId() => _call<String>('subscriptionId');

  /// Reports that the app has come to the foreground. After the first [register] the plugin does it by itself.
  Future<void> foreground() => _call<void>('foreground');

  Future<void> login(String externalId) => _call<void>('login', {'externalId': externalId});

  Future<void> logout() => _call<void>('logout');

  /// Changes tags of the user: texts, numbers, true and false; null deletes a tag.
  Future<void> setTags(Map<String, Object?> tags) => _call<void>('setTags', {'tags': tags});

  Future<void> setUser({String? language, String? timezone, String? country}) => _call<void>('setUser', {
        if (language != null) 'language': language,
        if (timezone != null) 'timezone': timezone,
        if (country != null) 'country': country,
      });

  /// Reports a conversion of the user, such as an order. [id] is yours and counts once. A [value] needs the app's setting for public values.
  Future<void> trackConversion(String id, String name, {double? value, String? currency, String? msgId}) => _call<void>('trackConversion', {
        'id': id,
        'name': name,
        if (value != null) 'value': value,
        if (currency != null) 'currency': currency,
        if (msgId != null) 'msgId': msgId,
      });

  /// Gives the kinds of notifications of the app: `id`, `name`, `description`, `subscribed` and `locked` of each.
  Future<List<Map<Object?, Object?>>> categories() async => (await _call<List<Object?>>('categories') ?? const []).cast<Map<Object?, Object?>>();

  /// Lets the user join (true) or leave (false) categories; null takes the user's own choice back.
  Future<void> setCategories(Map<String, bool?> choices) => _call<void>('setCategories', {'choices': choices});

  /// Takes the user of this push out of its category.
  Future<void> leaveCategory(String msgId) => _call<Object>('leaveCategory', {'msgId': msgId});

  /// Tells Herald the number on the app's icon, from which sends with `badgeIncrement` go on. It is not stored when Herald cannot be reached.
  Future<void> setBadge(int badge) => _call<void>('setBadge', {'badge': badge});

  Future<void> optOut() => _call<void>('optOut');

  Future<void> optIn() => _call<void>('optIn');

  /// Removes the device from Herald.
  Future<void> unregister() => _call<void>('unregister');

  /// Reports that a notification of your own code was shown.
  Future<void> delivered(String msgId) => _call<Object>('delivered', {'msgId': msgId});

  Future<void> opened(String msgId) => _call<Object>('opened', {'msgId': msgId});

  Future<void> clicked(String msgId, {String? action}) =>
      _call<Object>('clicked', {'msgId': msgId, if (action != null) 'action': action});

  Future<void> dismissed(String msgId) => _call<Object>('dismissed', {'msgId': msgId});

  @override
  void didChangeAppLifecycleState(AppLifecycleState state) {
    if (state == AppLifecycleState.resumed) unawaited(foreground().catchError((Object _) {}));
  }

  Future<T?> _call<T>(String name, [Map<String, Object?> given = const {}]) async {
    try {
      return await _channel.invokeMethod<T>(name, given);
    } on PlatformException catch (refused) {
      throw HeraldException(refused.code, refused.message ?? '', refused.details is int ? refused.details as int : 0);
    }
  }

  Future<void> _onEvent(MethodCall call) async {
    final event = call.arguments as Map<Object?, Object?>;
    switch (call.method) {
      case 'push':
        _pushes.add(HeraldPush(event));
      case 'tap':
        _taps.add(HeraldTap(event));
      case 'identityToken':
        unawaited(_answerToken(event).catchError((Object _) {}));
    }
  }

  /// Answers the question for an identity token. When the function fails there is no answer, and the login waits.
  Future<void> _answerToken(Map<Object?, Object?> event) async {
    final token = await _identityToken?.call(event['externalId']! as String);
    await _call<void>('identityToken', {'id': event['id'], 'token': token ?? ''});
  }
}
