/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

// Exported root namespace
const $root = $protobuf.roots["default"] || ($protobuf.roots["default"] = {});

export const actors = $root.actors = (() => {

    /**
     * Namespace actors.
     * @exports actors
     * @namespace
     */
    const actors = {};

    actors.v1 = (function() {

        /**
         * Namespace v1.
         * @memberof actors
         * @namespace
         */
        const v1 = {};

        v1.Bundle = (function() {

            /**
             * Properties of a Bundle.
             * @typedef {Object} actors.v1.Bundle.$Properties
             * @property {Array.<actors.v1.BundleFile.$Properties>|null} [files] Bundle files
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Bundle.
             * @memberof actors.v1
             * @interface IBundle
             * @augments actors.v1.Bundle.$Properties
             * @deprecated Use actors.v1.Bundle.$Properties instead.
             */

            /**
             * Shape of a Bundle.
             * @typedef {actors.v1.Bundle.$Properties} actors.v1.Bundle.$Shape
             */

            /**
             * Constructs a new Bundle.
             * @memberof actors.v1
             * @classdesc Represents a Bundle.
             * @constructor
             * @param {actors.v1.Bundle.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Bundle = function (properties) {
                this.files = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Bundle files.
             * @member {Array.<actors.v1.BundleFile.$Properties>} files
             * @memberof actors.v1.Bundle
             * @instance
             */
            Bundle.prototype.files = $util.emptyArray;

            /**
             * Creates a new Bundle instance using the specified properties.
             * @function create
             * @memberof actors.v1.Bundle
             * @static
             * @param {actors.v1.Bundle.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Bundle} Bundle instance
             * @type {{
             *   (properties: actors.v1.Bundle.$Shape): actors.v1.Bundle & actors.v1.Bundle.$Shape;
             *   (properties?: actors.v1.Bundle.$Properties): actors.v1.Bundle;
             * }}
             */
            Bundle.create = function(properties) {
                return new Bundle(properties);
            };

            /**
             * Encodes the specified Bundle message. Does not implicitly {@link actors.v1.Bundle.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Bundle
             * @static
             * @param {actors.v1.Bundle.$Properties} message Bundle message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Bundle.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.files != null && message.files.length)
                    for (let i = 0; i < message.files.length; ++i)
                        $root.actors.v1.BundleFile.encode(message.files[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Bundle message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Bundle
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Bundle & actors.v1.Bundle.$Shape} Bundle
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Bundle.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Bundle();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.files && message.files.length))
                                message.files = [];
                            message.files.push($root.actors.v1.BundleFile.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Bundle
             * @function getTypeUrl
             * @memberof actors.v1.Bundle
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Bundle.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Bundle";
            };

            return Bundle;
        })();

        v1.BundleFile = (function() {

            /**
             * Properties of a BundleFile.
             * @typedef {Object} actors.v1.BundleFile.$Properties
             * @property {string|null} [path] BundleFile path
             * @property {boolean|null} [executable] BundleFile executable
             * @property {Uint8Array|null} [content] BundleFile content
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a BundleFile.
             * @memberof actors.v1
             * @interface IBundleFile
             * @augments actors.v1.BundleFile.$Properties
             * @deprecated Use actors.v1.BundleFile.$Properties instead.
             */

            /**
             * Shape of a BundleFile.
             * @typedef {actors.v1.BundleFile.$Properties} actors.v1.BundleFile.$Shape
             */

            /**
             * Constructs a new BundleFile.
             * @memberof actors.v1
             * @classdesc Represents a BundleFile.
             * @constructor
             * @param {actors.v1.BundleFile.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const BundleFile = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * BundleFile path.
             * @member {string} path
             * @memberof actors.v1.BundleFile
             * @instance
             */
            BundleFile.prototype.path = "";

            /**
             * BundleFile executable.
             * @member {boolean} executable
             * @memberof actors.v1.BundleFile
             * @instance
             */
            BundleFile.prototype.executable = false;

            /**
             * BundleFile content.
             * @member {Uint8Array} content
             * @memberof actors.v1.BundleFile
             * @instance
             */
            BundleFile.prototype.content = $util.newBuffer([]);

            /**
             * Creates a new BundleFile instance using the specified properties.
             * @function create
             * @memberof actors.v1.BundleFile
             * @static
             * @param {actors.v1.BundleFile.$Properties=} [properties] Properties to set
             * @returns {actors.v1.BundleFile} BundleFile instance
             * @type {{
             *   (properties: actors.v1.BundleFile.$Shape): actors.v1.BundleFile & actors.v1.BundleFile.$Shape;
             *   (properties?: actors.v1.BundleFile.$Properties): actors.v1.BundleFile;
             * }}
             */
            BundleFile.create = function(properties) {
                return new BundleFile(properties);
            };

            /**
             * Encodes the specified BundleFile message. Does not implicitly {@link actors.v1.BundleFile.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.BundleFile
             * @static
             * @param {actors.v1.BundleFile.$Properties} message BundleFile message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            BundleFile.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.path);
                if (message.executable != null && $Object.hasOwnProperty.call(message, "executable") && message.executable !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.executable);
                if (message.content != null && $Object.hasOwnProperty.call(message, "content") && message.content.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.content);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a BundleFile message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.BundleFile
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.BundleFile & actors.v1.BundleFile.$Shape} BundleFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            BundleFile.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.BundleFile();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.executable = value;
                            else
                                delete message.executable;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.content = value;
                            else
                                delete message.content;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for BundleFile
             * @function getTypeUrl
             * @memberof actors.v1.BundleFile
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            BundleFile.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.BundleFile";
            };

            return BundleFile;
        })();

        v1.Batch = (function() {

            /**
             * Properties of a Batch.
             * @typedef {Object} actors.v1.Batch.$Properties
             * @property {string|null} [from] Batch from
             * @property {Array.<actors.v1.Frame.$Properties>|null} [frames] Batch frames
             * @property {string|null} [link] Batch link
             * @property {number|null} [settled] Batch settled
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Batch.
             * @memberof actors.v1
             * @interface IBatch
             * @augments actors.v1.Batch.$Properties
             * @deprecated Use actors.v1.Batch.$Properties instead.
             */

            /**
             * Shape of a Batch.
             * @typedef {actors.v1.Batch.$Properties} actors.v1.Batch.$Shape
             */

            /**
             * Constructs a new Batch.
             * @memberof actors.v1
             * @classdesc Represents a Batch.
             * @constructor
             * @param {actors.v1.Batch.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Batch = function (properties) {
                this.frames = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Batch from.
             * @member {string} from
             * @memberof actors.v1.Batch
             * @instance
             */
            Batch.prototype.from = "";

            /**
             * Batch frames.
             * @member {Array.<actors.v1.Frame.$Properties>} frames
             * @memberof actors.v1.Batch
             * @instance
             */
            Batch.prototype.frames = $util.emptyArray;

            /**
             * Batch link.
             * @member {string} link
             * @memberof actors.v1.Batch
             * @instance
             */
            Batch.prototype.link = "";

            /**
             * Batch settled.
             * @member {number} settled
             * @memberof actors.v1.Batch
             * @instance
             */
            Batch.prototype.settled = 0;

            /**
             * Creates a new Batch instance using the specified properties.
             * @function create
             * @memberof actors.v1.Batch
             * @static
             * @param {actors.v1.Batch.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Batch} Batch instance
             * @type {{
             *   (properties: actors.v1.Batch.$Shape): actors.v1.Batch & actors.v1.Batch.$Shape;
             *   (properties?: actors.v1.Batch.$Properties): actors.v1.Batch;
             * }}
             */
            Batch.create = function(properties) {
                return new Batch(properties);
            };

            /**
             * Encodes the specified Batch message. Does not implicitly {@link actors.v1.Batch.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Batch
             * @static
             * @param {actors.v1.Batch.$Properties} message Batch message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Batch.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.from != null && $Object.hasOwnProperty.call(message, "from") && message.from !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.from);
                if (message.frames != null && message.frames.length)
                    for (let i = 0; i < message.frames.length; ++i)
                        $root.actors.v1.Frame.encode(message.frames[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.link != null && $Object.hasOwnProperty.call(message, "link") && message.link !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.link);
                if (message.settled != null && $Object.hasOwnProperty.call(message, "settled") && !$Object.is(message.settled, 0))
                    writer.uint32(/* id 4, wireType 1 =*/33).double(message.settled);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Batch message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Batch
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Batch & actors.v1.Batch.$Shape} Batch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Batch.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Batch();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.from = value;
                            else
                                delete message.from;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.frames && message.frames.length))
                                message.frames = [];
                            message.frames.push($root.actors.v1.Frame.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.link = value;
                            else
                                delete message.link;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.settled = value;
                            else
                                delete message.settled;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Batch
             * @function getTypeUrl
             * @memberof actors.v1.Batch
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Batch.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Batch";
            };

            return Batch;
        })();

        /**
         * FrameKind enum.
         * @name actors.v1.FrameKind
         * @enum {number}
         * @property {number} CALL=0 CALL value
         * @property {number} TELL=1 TELL value
         * @property {number} REPLY=2 REPLY value
         * @property {number} ERROR=3 ERROR value
         * @property {number} CANCEL=4 CANCEL value
         * @property {number} ITEM=5 ITEM value
         * @property {number} END=6 END value
         * @property {number} CREDIT=7 CREDIT value
         * @property {number} FULL=8 FULL value
         * @property {number} WANT=9 WANT value
         * @property {number} ROOM=10 ROOM value
         */
        v1.FrameKind = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "CALL"] = 0;
            values[valuesById[1] = "TELL"] = 1;
            values[valuesById[2] = "REPLY"] = 2;
            values[valuesById[3] = "ERROR"] = 3;
            values[valuesById[4] = "CANCEL"] = 4;
            values[valuesById[5] = "ITEM"] = 5;
            values[valuesById[6] = "END"] = 6;
            values[valuesById[7] = "CREDIT"] = 7;
            values[valuesById[8] = "FULL"] = 8;
            values[valuesById[9] = "WANT"] = 9;
            values[valuesById[10] = "ROOM"] = 10;
            return values;
        })();

        /**
         * Codec enum.
         * @name actors.v1.Codec
         * @enum {number}
         * @property {number} NONE=0 NONE value
         * @property {number} MSGPACK=1 MSGPACK value
         * @property {number} PROTO=2 PROTO value
         * @property {number} MSGPACK_OBJECT=3 MSGPACK_OBJECT value
         * @property {number} PROTO_OBJECT=4 PROTO_OBJECT value
         */
        v1.Codec = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "NONE"] = 0;
            values[valuesById[1] = "MSGPACK"] = 1;
            values[valuesById[2] = "PROTO"] = 2;
            values[valuesById[3] = "MSGPACK_OBJECT"] = 3;
            values[valuesById[4] = "PROTO_OBJECT"] = 4;
            return values;
        })();

        v1.Frame = (function() {

            /**
             * Properties of a Frame.
             * @typedef {Object} actors.v1.Frame.$Properties
             * @property {actors.v1.FrameKind|null} [kind] Frame kind
             * @property {number|null} [id] Frame id
             * @property {string|null} [actor] Frame actor
             * @property {number|null} [epoch] Frame epoch
             * @property {string|null} [method] Frame method
             * @property {number|null} [budgetMs] Frame budgetMs
             * @property {actors.v1.Codec|null} [codec] Frame codec
             * @property {Uint8Array|null} [payload] Frame payload
             * @property {actors.v1.Failure.$Properties|null} [error] Frame error
             * @property {number|null} [credit] Frame credit
             * @property {number|null} [attempt] Frame attempt
             * @property {string|null} [trace] Frame trace
             * @property {boolean|null} [waits] Frame waits
             * @property {boolean|null} [shared] Frame shared
             * @property {boolean|null} [objects] Frame objects
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Frame.
             * @memberof actors.v1
             * @interface IFrame
             * @augments actors.v1.Frame.$Properties
             * @deprecated Use actors.v1.Frame.$Properties instead.
             */

            /**
             * Shape of a Frame.
             * @typedef {actors.v1.Frame.$Properties} actors.v1.Frame.$Shape
             */

            /**
             * Constructs a new Frame.
             * @memberof actors.v1
             * @classdesc Represents a Frame.
             * @constructor
             * @param {actors.v1.Frame.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Frame = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Frame kind.
             * @member {actors.v1.FrameKind} kind
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.kind = 0;

            /**
             * Frame id.
             * @member {number} id
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.id = 0;

            /**
             * Frame actor.
             * @member {string} actor
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.actor = "";

            /**
             * Frame epoch.
             * @member {number} epoch
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.epoch = 0;

            /**
             * Frame method.
             * @member {string} method
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.method = "";

            /**
             * Frame budgetMs.
             * @member {number} budgetMs
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.budgetMs = 0;

            /**
             * Frame codec.
             * @member {actors.v1.Codec} codec
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.codec = 0;

            /**
             * Frame payload.
             * @member {Uint8Array} payload
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.payload = $util.newBuffer([]);

            /**
             * Frame error.
             * @member {actors.v1.Failure.$Properties|null|undefined} error
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.error = null;

            /**
             * Frame credit.
             * @member {number} credit
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.credit = 0;

            /**
             * Frame attempt.
             * @member {number} attempt
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.attempt = 0;

            /**
             * Frame trace.
             * @member {string} trace
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.trace = "";

            /**
             * Frame waits.
             * @member {boolean} waits
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.waits = false;

            /**
             * Frame shared.
             * @member {boolean} shared
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.shared = false;

            /**
             * Frame objects.
             * @member {boolean} objects
             * @memberof actors.v1.Frame
             * @instance
             */
            Frame.prototype.objects = false;

            /**
             * Creates a new Frame instance using the specified properties.
             * @function create
             * @memberof actors.v1.Frame
             * @static
             * @param {actors.v1.Frame.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Frame} Frame instance
             * @type {{
             *   (properties: actors.v1.Frame.$Shape): actors.v1.Frame & actors.v1.Frame.$Shape;
             *   (properties?: actors.v1.Frame.$Properties): actors.v1.Frame;
             * }}
             */
            Frame.create = function(properties) {
                return new Frame(properties);
            };

            /**
             * Encodes the specified Frame message. Does not implicitly {@link actors.v1.Frame.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Frame
             * @static
             * @param {actors.v1.Frame.$Properties} message Frame message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Frame.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.kind);
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && !$Object.is(message.id, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.id);
                if (message.actor != null && $Object.hasOwnProperty.call(message, "actor") && message.actor !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.actor);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch") && message.epoch !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.epoch);
                if (message.method != null && $Object.hasOwnProperty.call(message, "method") && message.method !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.method);
                if (message.budgetMs != null && $Object.hasOwnProperty.call(message, "budgetMs") && message.budgetMs !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.budgetMs);
                if (message.codec != null && $Object.hasOwnProperty.call(message, "codec") && message.codec !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).int32(message.codec);
                if (message.payload != null && $Object.hasOwnProperty.call(message, "payload") && message.payload.length)
                    writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.payload);
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    $root.actors.v1.Failure.encode(message.error, writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                if (message.credit != null && $Object.hasOwnProperty.call(message, "credit") && message.credit !== 0)
                    writer.uint32(/* id 10, wireType 0 =*/80).uint32(message.credit);
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(/* id 11, wireType 0 =*/88).uint32(message.attempt);
                if (message.trace != null && $Object.hasOwnProperty.call(message, "trace") && message.trace !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.trace);
                if (message.waits != null && $Object.hasOwnProperty.call(message, "waits") && message.waits !== false)
                    writer.uint32(/* id 13, wireType 0 =*/104).bool(message.waits);
                if (message.shared != null && $Object.hasOwnProperty.call(message, "shared") && message.shared !== false)
                    writer.uint32(/* id 14, wireType 0 =*/112).bool(message.shared);
                if (message.objects != null && $Object.hasOwnProperty.call(message, "objects") && message.objects !== false)
                    writer.uint32(/* id 15, wireType 0 =*/120).bool(message.objects);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Frame message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Frame
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Frame & actors.v1.Frame.$Shape} Frame
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Frame.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Frame();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actor = value;
                            else
                                delete message.actor;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.epoch = value;
                            else
                                delete message.epoch;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.method = value;
                            else
                                delete message.method;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.budgetMs = value;
                            else
                                delete message.budgetMs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.codec = value;
                            else
                                delete message.codec;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.payload = value;
                            else
                                delete message.payload;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.error = $root.actors.v1.Failure.decode(reader, reader.size(), $undefined, _depth + 1, message.error);
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.credit = value;
                            else
                                delete message.credit;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.trace = value;
                            else
                                delete message.trace;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.waits = value;
                            else
                                delete message.waits;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.shared = value;
                            else
                                delete message.shared;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.objects = value;
                            else
                                delete message.objects;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Frame
             * @function getTypeUrl
             * @memberof actors.v1.Frame
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Frame.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Frame";
            };

            return Frame;
        })();

        v1.Failure = (function() {

            /**
             * Properties of a Failure.
             * @typedef {Object} actors.v1.Failure.$Properties
             * @property {string|null} [code] Failure code
             * @property {string|null} [message] Failure message
             * @property {string|null} [hint] Failure hint
             * @property {boolean|null} [retryable] Failure retryable
             * @property {string|null} [stack] Failure stack
             * @property {actors.v1.Failure.$Properties|null} [cause] Failure cause
             * @property {Uint8Array|null} [details] Failure details
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Failure.
             * @memberof actors.v1
             * @interface IFailure
             * @augments actors.v1.Failure.$Properties
             * @deprecated Use actors.v1.Failure.$Properties instead.
             */

            /**
             * Shape of a Failure.
             * @typedef {actors.v1.Failure.$Properties} actors.v1.Failure.$Shape
             */

            /**
             * Constructs a new Failure.
             * @memberof actors.v1
             * @classdesc Represents a Failure.
             * @constructor
             * @param {actors.v1.Failure.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Failure = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Failure code.
             * @member {string} code
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.code = "";

            /**
             * Failure message.
             * @member {string} message
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.message = "";

            /**
             * Failure hint.
             * @member {string} hint
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.hint = "";

            /**
             * Failure retryable.
             * @member {boolean} retryable
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.retryable = false;

            /**
             * Failure stack.
             * @member {string} stack
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.stack = "";

            /**
             * Failure cause.
             * @member {actors.v1.Failure.$Properties|null|undefined} cause
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.cause = null;

            /**
             * Failure details.
             * @member {Uint8Array} details
             * @memberof actors.v1.Failure
             * @instance
             */
            Failure.prototype.details = $util.newBuffer([]);

            /**
             * Creates a new Failure instance using the specified properties.
             * @function create
             * @memberof actors.v1.Failure
             * @static
             * @param {actors.v1.Failure.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Failure} Failure instance
             * @type {{
             *   (properties: actors.v1.Failure.$Shape): actors.v1.Failure & actors.v1.Failure.$Shape;
             *   (properties?: actors.v1.Failure.$Properties): actors.v1.Failure;
             * }}
             */
            Failure.create = function(properties) {
                return new Failure(properties);
            };

            /**
             * Encodes the specified Failure message. Does not implicitly {@link actors.v1.Failure.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Failure
             * @static
             * @param {actors.v1.Failure.$Properties} message Failure message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Failure.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.code);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.message);
                if (message.hint != null && $Object.hasOwnProperty.call(message, "hint") && message.hint !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.hint);
                if (message.retryable != null && $Object.hasOwnProperty.call(message, "retryable") && message.retryable !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.retryable);
                if (message.stack != null && $Object.hasOwnProperty.call(message, "stack") && message.stack !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.stack);
                if (message.cause != null && $Object.hasOwnProperty.call(message, "cause"))
                    $root.actors.v1.Failure.encode(message.cause, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.details != null && $Object.hasOwnProperty.call(message, "details") && message.details.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.details);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Failure message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Failure
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Failure & actors.v1.Failure.$Shape} Failure
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Failure.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Failure();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.hint = value;
                            else
                                delete message.hint;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.retryable = value;
                            else
                                delete message.retryable;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stack = value;
                            else
                                delete message.stack;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.cause = $root.actors.v1.Failure.decode(reader, reader.size(), $undefined, _depth + 1, message.cause);
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.details = value;
                            else
                                delete message.details;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Failure
             * @function getTypeUrl
             * @memberof actors.v1.Failure
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Failure.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Failure";
            };

            return Failure;
        })();

        v1.Resources = (function() {

            /**
             * Properties of a Resources.
             * @typedef {Object} actors.v1.Resources.$Properties
             * @property {number|null} [cpus] Resources cpus
             * @property {number|null} [gpus] Resources gpus
             * @property {number|null} [memoryMb] Resources memoryMb
             * @property {Object.<string,number>|null} [custom] Resources custom
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Resources.
             * @memberof actors.v1
             * @interface IResources
             * @augments actors.v1.Resources.$Properties
             * @deprecated Use actors.v1.Resources.$Properties instead.
             */

            /**
             * Shape of a Resources.
             * @typedef {actors.v1.Resources.$Properties} actors.v1.Resources.$Shape
             */

            /**
             * Constructs a new Resources.
             * @memberof actors.v1
             * @classdesc Represents a Resources.
             * @constructor
             * @param {actors.v1.Resources.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Resources = function (properties) {
                this.custom = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Resources cpus.
             * @member {number} cpus
             * @memberof actors.v1.Resources
             * @instance
             */
            Resources.prototype.cpus = 0;

            /**
             * Resources gpus.
             * @member {number} gpus
             * @memberof actors.v1.Resources
             * @instance
             */
            Resources.prototype.gpus = 0;

            /**
             * Resources memoryMb.
             * @member {number} memoryMb
             * @memberof actors.v1.Resources
             * @instance
             */
            Resources.prototype.memoryMb = 0;

            /**
             * Resources custom.
             * @member {Object.<string,number>} custom
             * @memberof actors.v1.Resources
             * @instance
             */
            Resources.prototype.custom = $util.emptyObject;

            /**
             * Creates a new Resources instance using the specified properties.
             * @function create
             * @memberof actors.v1.Resources
             * @static
             * @param {actors.v1.Resources.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Resources} Resources instance
             * @type {{
             *   (properties: actors.v1.Resources.$Shape): actors.v1.Resources & actors.v1.Resources.$Shape;
             *   (properties?: actors.v1.Resources.$Properties): actors.v1.Resources;
             * }}
             */
            Resources.create = function(properties) {
                return new Resources(properties);
            };

            /**
             * Encodes the specified Resources message. Does not implicitly {@link actors.v1.Resources.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Resources
             * @static
             * @param {actors.v1.Resources.$Properties} message Resources message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Resources.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.cpus != null && $Object.hasOwnProperty.call(message, "cpus") && !$Object.is(message.cpus, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.cpus);
                if (message.gpus != null && $Object.hasOwnProperty.call(message, "gpus") && !$Object.is(message.gpus, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.gpus);
                if (message.memoryMb != null && $Object.hasOwnProperty.call(message, "memoryMb") && !$Object.is(message.memoryMb, 0))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.memoryMb);
                if (message.custom != null && $Object.hasOwnProperty.call(message, "custom"))
                    for (let keys = $Object.keys(message.custom), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 1 =*/17).double(message.custom[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Resources message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Resources
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Resources & actors.v1.Resources.$Shape} Resources
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Resources.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Resources();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.cpus = value;
                            else
                                delete message.cpus;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.gpus = value;
                            else
                                delete message.gpus;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.memoryMb = value;
                            else
                                delete message.memoryMb;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.custom === $util.emptyObject)
                                message.custom = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = 0;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 1)
                                        break;
                                    value = reader.double();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.custom, key);
                            message.custom[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Resources
             * @function getTypeUrl
             * @memberof actors.v1.Resources
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Resources.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Resources";
            };

            return Resources;
        })();

        /**
         * NodeState enum.
         * @name actors.v1.NodeState
         * @enum {number}
         * @property {number} NODE_UP=0 NODE_UP value
         * @property {number} NODE_DRAINING=1 NODE_DRAINING value
         * @property {number} NODE_DEAD=2 NODE_DEAD value
         */
        v1.NodeState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "NODE_UP"] = 0;
            values[valuesById[1] = "NODE_DRAINING"] = 1;
            values[valuesById[2] = "NODE_DEAD"] = 2;
            return values;
        })();

        v1.NodeRecord = (function() {

            /**
             * Properties of a NodeRecord.
             * @typedef {Object} actors.v1.NodeRecord.$Properties
             * @property {string|null} [id] NodeRecord id
             * @property {string|null} [endpoint] NodeRecord endpoint
             * @property {actors.v1.NodeState|null} [state] NodeRecord state
             * @property {string|null} [host] NodeRecord host
             * @property {number|null} [pid] NodeRecord pid
             * @property {actors.v1.Resources.$Properties|null} [capacity] NodeRecord capacity
             * @property {number|null} [slot] NodeRecord slot
             * @property {string|null} [metrics] NodeRecord metrics
             * @property {Object.<string,string>|null} [labels] NodeRecord labels
             * @property {Array.<string>|null} [devices] NodeRecord devices
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a NodeRecord.
             * @memberof actors.v1
             * @interface INodeRecord
             * @augments actors.v1.NodeRecord.$Properties
             * @deprecated Use actors.v1.NodeRecord.$Properties instead.
             */

            /**
             * Shape of a NodeRecord.
             * @typedef {actors.v1.NodeRecord.$Properties} actors.v1.NodeRecord.$Shape
             */

            /**
             * Constructs a new NodeRecord.
             * @memberof actors.v1
             * @classdesc Represents a NodeRecord.
             * @constructor
             * @param {actors.v1.NodeRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const NodeRecord = function (properties) {
                this.labels = {};
                this.devices = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * NodeRecord id.
             * @member {string} id
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.id = "";

            /**
             * NodeRecord endpoint.
             * @member {string} endpoint
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.endpoint = "";

            /**
             * NodeRecord state.
             * @member {actors.v1.NodeState} state
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.state = 0;

            /**
             * NodeRecord host.
             * @member {string} host
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.host = "";

            /**
             * NodeRecord pid.
             * @member {number} pid
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.pid = 0;

            /**
             * NodeRecord capacity.
             * @member {actors.v1.Resources.$Properties|null|undefined} capacity
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.capacity = null;

            /**
             * NodeRecord slot.
             * @member {number} slot
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.slot = 0;

            /**
             * NodeRecord metrics.
             * @member {string} metrics
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.metrics = "";

            /**
             * NodeRecord labels.
             * @member {Object.<string,string>} labels
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.labels = $util.emptyObject;

            /**
             * NodeRecord devices.
             * @member {Array.<string>} devices
             * @memberof actors.v1.NodeRecord
             * @instance
             */
            NodeRecord.prototype.devices = $util.emptyArray;

            /**
             * Creates a new NodeRecord instance using the specified properties.
             * @function create
             * @memberof actors.v1.NodeRecord
             * @static
             * @param {actors.v1.NodeRecord.$Properties=} [properties] Properties to set
             * @returns {actors.v1.NodeRecord} NodeRecord instance
             * @type {{
             *   (properties: actors.v1.NodeRecord.$Shape): actors.v1.NodeRecord & actors.v1.NodeRecord.$Shape;
             *   (properties?: actors.v1.NodeRecord.$Properties): actors.v1.NodeRecord;
             * }}
             */
            NodeRecord.create = function(properties) {
                return new NodeRecord(properties);
            };

            /**
             * Encodes the specified NodeRecord message. Does not implicitly {@link actors.v1.NodeRecord.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.NodeRecord
             * @static
             * @param {actors.v1.NodeRecord.$Properties} message NodeRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            NodeRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.id);
                if (message.endpoint != null && $Object.hasOwnProperty.call(message, "endpoint") && message.endpoint !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.endpoint);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.state);
                if (message.host != null && $Object.hasOwnProperty.call(message, "host") && message.host !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.host);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.pid);
                if (message.capacity != null && $Object.hasOwnProperty.call(message, "capacity"))
                    $root.actors.v1.Resources.encode(message.capacity, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.slot != null && $Object.hasOwnProperty.call(message, "slot") && message.slot !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.slot);
                if (message.metrics != null && $Object.hasOwnProperty.call(message, "metrics") && message.metrics !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.metrics);
                if (message.labels != null && $Object.hasOwnProperty.call(message, "labels"))
                    for (let keys = $Object.keys(message.labels), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 10, wireType 2 =*/82).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.labels[keys[i]]).ldelim();
                if (message.devices != null && message.devices.length)
                    for (let i = 0; i < message.devices.length; ++i)
                        writer.uint32(/* id 11, wireType 2 =*/90).string(message.devices[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a NodeRecord message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.NodeRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.NodeRecord & actors.v1.NodeRecord.$Shape} NodeRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            NodeRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.NodeRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.endpoint = value;
                            else
                                delete message.endpoint;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.host = value;
                            else
                                delete message.host;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.capacity = $root.actors.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.capacity);
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.slot = value;
                            else
                                delete message.slot;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metrics = value;
                            else
                                delete message.metrics;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if (message.labels === $util.emptyObject)
                                message.labels = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.labels, key);
                            message.labels[key] = value;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if (!(message.devices && message.devices.length))
                                message.devices = [];
                            message.devices.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for NodeRecord
             * @function getTypeUrl
             * @memberof actors.v1.NodeRecord
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            NodeRecord.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.NodeRecord";
            };

            return NodeRecord;
        })();

        /**
         * ActorState enum.
         * @name actors.v1.ActorState
         * @enum {number}
         * @property {number} PENDING=0 PENDING value
         * @property {number} STARTING=1 STARTING value
         * @property {number} RUNNING=2 RUNNING value
         * @property {number} RESTARTING=3 RESTARTING value
         * @property {number} STOPPED=4 STOPPED value
         * @property {number} FAILED=5 FAILED value
         * @property {number} PASSIVE=6 PASSIVE value
         */
        v1.ActorState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "PENDING"] = 0;
            values[valuesById[1] = "STARTING"] = 1;
            values[valuesById[2] = "RUNNING"] = 2;
            values[valuesById[3] = "RESTARTING"] = 3;
            values[valuesById[4] = "STOPPED"] = 4;
            values[valuesById[5] = "FAILED"] = 5;
            values[valuesById[6] = "PASSIVE"] = 6;
            return values;
        })();

        /**
         * Hosting enum.
         * @name actors.v1.Hosting
         * @enum {number}
         * @property {number} INLINE=0 INLINE value
         * @property {number} THREAD=1 THREAD value
         * @property {number} PROCESS=2 PROCESS value
         */
        v1.Hosting = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "INLINE"] = 0;
            values[valuesById[1] = "THREAD"] = 1;
            values[valuesById[2] = "PROCESS"] = 2;
            return values;
        })();

        /**
         * RestartPolicy enum.
         * @name actors.v1.RestartPolicy
         * @enum {number}
         * @property {number} ON_FAILURE=0 ON_FAILURE value
         * @property {number} ALWAYS=1 ALWAYS value
         * @property {number} NEVER=2 NEVER value
         */
        v1.RestartPolicy = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "ON_FAILURE"] = 0;
            values[valuesById[1] = "ALWAYS"] = 1;
            values[valuesById[2] = "NEVER"] = 2;
            return values;
        })();

        v1.Restart = (function() {

            /**
             * Properties of a Restart.
             * @typedef {Object} actors.v1.Restart.$Properties
             * @property {actors.v1.RestartPolicy|null} [policy] Restart policy
             * @property {number|null} [max] Restart max
             * @property {number|null} [withinMs] Restart withinMs
             * @property {number|null} [backoffMs] Restart backoffMs
             * @property {boolean|null} [escalate] Restart escalate
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Restart.
             * @memberof actors.v1
             * @interface IRestart
             * @augments actors.v1.Restart.$Properties
             * @deprecated Use actors.v1.Restart.$Properties instead.
             */

            /**
             * Shape of a Restart.
             * @typedef {actors.v1.Restart.$Properties} actors.v1.Restart.$Shape
             */

            /**
             * Constructs a new Restart.
             * @memberof actors.v1
             * @classdesc Represents a Restart.
             * @constructor
             * @param {actors.v1.Restart.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Restart = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Restart policy.
             * @member {actors.v1.RestartPolicy} policy
             * @memberof actors.v1.Restart
             * @instance
             */
            Restart.prototype.policy = 0;

            /**
             * Restart max.
             * @member {number} max
             * @memberof actors.v1.Restart
             * @instance
             */
            Restart.prototype.max = 0;

            /**
             * Restart withinMs.
             * @member {number} withinMs
             * @memberof actors.v1.Restart
             * @instance
             */
            Restart.prototype.withinMs = 0;

            /**
             * Restart backoffMs.
             * @member {number} backoffMs
             * @memberof actors.v1.Restart
             * @instance
             */
            Restart.prototype.backoffMs = 0;

            /**
             * Restart escalate.
             * @member {boolean} escalate
             * @memberof actors.v1.Restart
             * @instance
             */
            Restart.prototype.escalate = false;

            /**
             * Creates a new Restart instance using the specified properties.
             * @function create
             * @memberof actors.v1.Restart
             * @static
             * @param {actors.v1.Restart.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Restart} Restart instance
             * @type {{
             *   (properties: actors.v1.Restart.$Shape): actors.v1.Restart & actors.v1.Restart.$Shape;
             *   (properties?: actors.v1.Restart.$Properties): actors.v1.Restart;
             * }}
             */
            Restart.create = function(properties) {
                return new Restart(properties);
            };

            /**
             * Encodes the specified Restart message. Does not implicitly {@link actors.v1.Restart.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Restart
             * @static
             * @param {actors.v1.Restart.$Properties} message Restart message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Restart.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.policy != null && $Object.hasOwnProperty.call(message, "policy") && message.policy !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.policy);
                if (message.max != null && $Object.hasOwnProperty.call(message, "max") && message.max !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.max);
                if (message.withinMs != null && $Object.hasOwnProperty.call(message, "withinMs") && message.withinMs !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.withinMs);
                if (message.backoffMs != null && $Object.hasOwnProperty.call(message, "backoffMs") && message.backoffMs !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.backoffMs);
                if (message.escalate != null && $Object.hasOwnProperty.call(message, "escalate") && message.escalate !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.escalate);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Restart message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Restart
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Restart & actors.v1.Restart.$Shape} Restart
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Restart.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Restart();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.policy = value;
                            else
                                delete message.policy;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.max = value;
                            else
                                delete message.max;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.withinMs = value;
                            else
                                delete message.withinMs;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.backoffMs = value;
                            else
                                delete message.backoffMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.escalate = value;
                            else
                                delete message.escalate;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Restart
             * @function getTypeUrl
             * @memberof actors.v1.Restart
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Restart.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Restart";
            };

            return Restart;
        })();

        /**
         * Strategy enum.
         * @name actors.v1.Strategy
         * @enum {number}
         * @property {number} SPREAD=0 SPREAD value
         * @property {number} PACK=1 PACK value
         * @property {number} STRICT_SPREAD=2 STRICT_SPREAD value
         * @property {number} STRICT_PACK=3 STRICT_PACK value
         */
        v1.Strategy = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "SPREAD"] = 0;
            values[valuesById[1] = "PACK"] = 1;
            values[valuesById[2] = "STRICT_SPREAD"] = 2;
            values[valuesById[3] = "STRICT_PACK"] = 3;
            return values;
        })();

        v1.Placement = (function() {

            /**
             * Properties of a Placement.
             * @typedef {Object} actors.v1.Placement.$Properties
             * @property {string|null} [gang] Placement gang
             * @property {actors.v1.Strategy|null} [strategy] Placement strategy
             * @property {Object.<string,string>|null} [labels] Placement labels
             * @property {Array.<string>|null} [near] Placement near
             * @property {Array.<string>|null} [away] Placement away
             * @property {number|null} [gangSize] Placement gangSize
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Placement.
             * @memberof actors.v1
             * @interface IPlacement
             * @augments actors.v1.Placement.$Properties
             * @deprecated Use actors.v1.Placement.$Properties instead.
             */

            /**
             * Shape of a Placement.
             * @typedef {actors.v1.Placement.$Properties} actors.v1.Placement.$Shape
             */

            /**
             * Constructs a new Placement.
             * @memberof actors.v1
             * @classdesc Represents a Placement.
             * @constructor
             * @param {actors.v1.Placement.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Placement = function (properties) {
                this.labels = {};
                this.near = [];
                this.away = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Placement gang.
             * @member {string} gang
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.gang = "";

            /**
             * Placement strategy.
             * @member {actors.v1.Strategy} strategy
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.strategy = 0;

            /**
             * Placement labels.
             * @member {Object.<string,string>} labels
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.labels = $util.emptyObject;

            /**
             * Placement near.
             * @member {Array.<string>} near
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.near = $util.emptyArray;

            /**
             * Placement away.
             * @member {Array.<string>} away
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.away = $util.emptyArray;

            /**
             * Placement gangSize.
             * @member {number} gangSize
             * @memberof actors.v1.Placement
             * @instance
             */
            Placement.prototype.gangSize = 0;

            /**
             * Creates a new Placement instance using the specified properties.
             * @function create
             * @memberof actors.v1.Placement
             * @static
             * @param {actors.v1.Placement.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Placement} Placement instance
             * @type {{
             *   (properties: actors.v1.Placement.$Shape): actors.v1.Placement & actors.v1.Placement.$Shape;
             *   (properties?: actors.v1.Placement.$Properties): actors.v1.Placement;
             * }}
             */
            Placement.create = function(properties) {
                return new Placement(properties);
            };

            /**
             * Encodes the specified Placement message. Does not implicitly {@link actors.v1.Placement.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Placement
             * @static
             * @param {actors.v1.Placement.$Properties} message Placement message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Placement.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.gang != null && $Object.hasOwnProperty.call(message, "gang") && message.gang !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.gang);
                if (message.strategy != null && $Object.hasOwnProperty.call(message, "strategy") && message.strategy !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.strategy);
                if (message.labels != null && $Object.hasOwnProperty.call(message, "labels"))
                    for (let keys = $Object.keys(message.labels), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.labels[keys[i]]).ldelim();
                if (message.near != null && message.near.length)
                    for (let i = 0; i < message.near.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.near[i]);
                if (message.away != null && message.away.length)
                    for (let i = 0; i < message.away.length; ++i)
                        writer.uint32(/* id 5, wireType 2 =*/42).string(message.away[i]);
                if (message.gangSize != null && $Object.hasOwnProperty.call(message, "gangSize") && message.gangSize !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.gangSize);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Placement message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Placement
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Placement & actors.v1.Placement.$Shape} Placement
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Placement.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Placement();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.gang = value;
                            else
                                delete message.gang;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.strategy = value;
                            else
                                delete message.strategy;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (message.labels === $util.emptyObject)
                                message.labels = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.labels, key);
                            message.labels[key] = value;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.near && message.near.length))
                                message.near = [];
                            message.near.push(reader.stringVerify());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (!(message.away && message.away.length))
                                message.away = [];
                            message.away.push(reader.stringVerify());
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.gangSize = value;
                            else
                                delete message.gangSize;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Placement
             * @function getTypeUrl
             * @memberof actors.v1.Placement
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Placement.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Placement";
            };

            return Placement;
        })();

        v1.Crash = (function() {

            /**
             * Properties of a Crash.
             * @typedef {Object} actors.v1.Crash.$Properties
             * @property {number|null} [at] Crash at
             * @property {number|null} [epoch] Crash epoch
             * @property {string|null} [node] Crash node
             * @property {string|null} [error] Crash error
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Crash.
             * @memberof actors.v1
             * @interface ICrash
             * @augments actors.v1.Crash.$Properties
             * @deprecated Use actors.v1.Crash.$Properties instead.
             */

            /**
             * Shape of a Crash.
             * @typedef {actors.v1.Crash.$Properties} actors.v1.Crash.$Shape
             */

            /**
             * Constructs a new Crash.
             * @memberof actors.v1
             * @classdesc Represents a Crash.
             * @constructor
             * @param {actors.v1.Crash.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Crash = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Crash at.
             * @member {number} at
             * @memberof actors.v1.Crash
             * @instance
             */
            Crash.prototype.at = 0;

            /**
             * Crash epoch.
             * @member {number} epoch
             * @memberof actors.v1.Crash
             * @instance
             */
            Crash.prototype.epoch = 0;

            /**
             * Crash node.
             * @member {string} node
             * @memberof actors.v1.Crash
             * @instance
             */
            Crash.prototype.node = "";

            /**
             * Crash error.
             * @member {string} error
             * @memberof actors.v1.Crash
             * @instance
             */
            Crash.prototype.error = "";

            /**
             * Creates a new Crash instance using the specified properties.
             * @function create
             * @memberof actors.v1.Crash
             * @static
             * @param {actors.v1.Crash.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Crash} Crash instance
             * @type {{
             *   (properties: actors.v1.Crash.$Shape): actors.v1.Crash & actors.v1.Crash.$Shape;
             *   (properties?: actors.v1.Crash.$Properties): actors.v1.Crash;
             * }}
             */
            Crash.create = function(properties) {
                return new Crash(properties);
            };

            /**
             * Encodes the specified Crash message. Does not implicitly {@link actors.v1.Crash.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Crash
             * @static
             * @param {actors.v1.Crash.$Properties} message Crash message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Crash.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.at != null && $Object.hasOwnProperty.call(message, "at") && !$Object.is(message.at, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.at);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch") && message.epoch !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.epoch);
                if (message.node != null && $Object.hasOwnProperty.call(message, "node") && message.node !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.node);
                if (message.error != null && $Object.hasOwnProperty.call(message, "error") && message.error !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.error);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Crash message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Crash
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Crash & actors.v1.Crash.$Shape} Crash
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Crash.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Crash();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.at = value;
                            else
                                delete message.at;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.epoch = value;
                            else
                                delete message.epoch;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.node = value;
                            else
                                delete message.node;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.error = value;
                            else
                                delete message.error;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Crash
             * @function getTypeUrl
             * @memberof actors.v1.Crash
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Crash.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Crash";
            };

            return Crash;
        })();

        v1.ActorRecord = (function() {

            /**
             * Properties of an ActorRecord.
             * @typedef {Object} actors.v1.ActorRecord.$Properties
             * @property {string|null} [id] ActorRecord id
             * @property {string|null} [name] ActorRecord name
             * @property {string|null} [def] ActorRecord def
             * @property {string|null} [module] ActorRecord module
             * @property {number|null} [epoch] ActorRecord epoch
             * @property {actors.v1.ActorState|null} [state] ActorRecord state
             * @property {string|null} [node] ActorRecord node
             * @property {string|null} [endpoint] ActorRecord endpoint
             * @property {actors.v1.Hosting|null} [hosting] ActorRecord hosting
             * @property {actors.v1.Resources.$Properties|null} [needs] ActorRecord needs
             * @property {actors.v1.Restart.$Properties|null} [restart] ActorRecord restart
             * @property {string|null} [parent] ActorRecord parent
             * @property {Uint8Array|null} [args] ActorRecord args
             * @property {number|null} [restarts] ActorRecord restarts
             * @property {actors.v1.Failure.$Properties|null} [failure] ActorRecord failure
             * @property {number|null} [pid] ActorRecord pid
             * @property {string|null} [wantNode] ActorRecord wantNode
             * @property {number|null} [mailbox] ActorRecord mailbox
             * @property {Array.<string>|null} [methods] ActorRecord methods
             * @property {string|null} [host] ActorRecord host
             * @property {Array.<actors.v1.Crash.$Properties>|null} [crashes] ActorRecord crashes
             * @property {actors.v1.Placement.$Properties|null} [placement] ActorRecord placement
             * @property {Array.<string>|null} [devices] ActorRecord devices
             * @property {string|null} [waiting] ActorRecord waiting
             * @property {boolean|null} [keepsState] ActorRecord keepsState
             * @property {number|null} [passivateAfterMs] ActorRecord passivateAfterMs
             * @property {number|null} [rested] ActorRecord rested
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorRecord.
             * @memberof actors.v1
             * @interface IActorRecord
             * @augments actors.v1.ActorRecord.$Properties
             * @deprecated Use actors.v1.ActorRecord.$Properties instead.
             */

            /**
             * Shape of an ActorRecord.
             * @typedef {actors.v1.ActorRecord.$Properties} actors.v1.ActorRecord.$Shape
             */

            /**
             * Constructs a new ActorRecord.
             * @memberof actors.v1
             * @classdesc Represents an ActorRecord.
             * @constructor
             * @param {actors.v1.ActorRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorRecord = function (properties) {
                this.methods = [];
                this.crashes = [];
                this.devices = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorRecord id.
             * @member {string} id
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.id = "";

            /**
             * ActorRecord name.
             * @member {string} name
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.name = "";

            /**
             * ActorRecord def.
             * @member {string} def
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.def = "";

            /**
             * ActorRecord module.
             * @member {string} module
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.module = "";

            /**
             * ActorRecord epoch.
             * @member {number} epoch
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.epoch = 0;

            /**
             * ActorRecord state.
             * @member {actors.v1.ActorState} state
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.state = 0;

            /**
             * ActorRecord node.
             * @member {string} node
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.node = "";

            /**
             * ActorRecord endpoint.
             * @member {string} endpoint
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.endpoint = "";

            /**
             * ActorRecord hosting.
             * @member {actors.v1.Hosting} hosting
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.hosting = 0;

            /**
             * ActorRecord needs.
             * @member {actors.v1.Resources.$Properties|null|undefined} needs
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.needs = null;

            /**
             * ActorRecord restart.
             * @member {actors.v1.Restart.$Properties|null|undefined} restart
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.restart = null;

            /**
             * ActorRecord parent.
             * @member {string} parent
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.parent = "";

            /**
             * ActorRecord args.
             * @member {Uint8Array} args
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.args = $util.newBuffer([]);

            /**
             * ActorRecord restarts.
             * @member {number} restarts
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.restarts = 0;

            /**
             * ActorRecord failure.
             * @member {actors.v1.Failure.$Properties|null|undefined} failure
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.failure = null;

            /**
             * ActorRecord pid.
             * @member {number} pid
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.pid = 0;

            /**
             * ActorRecord wantNode.
             * @member {string} wantNode
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.wantNode = "";

            /**
             * ActorRecord mailbox.
             * @member {number} mailbox
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.mailbox = 0;

            /**
             * ActorRecord methods.
             * @member {Array.<string>} methods
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.methods = $util.emptyArray;

            /**
             * ActorRecord host.
             * @member {string} host
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.host = "";

            /**
             * ActorRecord crashes.
             * @member {Array.<actors.v1.Crash.$Properties>} crashes
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.crashes = $util.emptyArray;

            /**
             * ActorRecord placement.
             * @member {actors.v1.Placement.$Properties|null|undefined} placement
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.placement = null;

            /**
             * ActorRecord devices.
             * @member {Array.<string>} devices
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.devices = $util.emptyArray;

            /**
             * ActorRecord waiting.
             * @member {string} waiting
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.waiting = "";

            /**
             * ActorRecord keepsState.
             * @member {boolean} keepsState
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.keepsState = false;

            /**
             * ActorRecord passivateAfterMs.
             * @member {number} passivateAfterMs
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.passivateAfterMs = 0;

            /**
             * ActorRecord rested.
             * @member {number} rested
             * @memberof actors.v1.ActorRecord
             * @instance
             */
            ActorRecord.prototype.rested = 0;

            /**
             * Creates a new ActorRecord instance using the specified properties.
             * @function create
             * @memberof actors.v1.ActorRecord
             * @static
             * @param {actors.v1.ActorRecord.$Properties=} [properties] Properties to set
             * @returns {actors.v1.ActorRecord} ActorRecord instance
             * @type {{
             *   (properties: actors.v1.ActorRecord.$Shape): actors.v1.ActorRecord & actors.v1.ActorRecord.$Shape;
             *   (properties?: actors.v1.ActorRecord.$Properties): actors.v1.ActorRecord;
             * }}
             */
            ActorRecord.create = function(properties) {
                return new ActorRecord(properties);
            };

            /**
             * Encodes the specified ActorRecord message. Does not implicitly {@link actors.v1.ActorRecord.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.ActorRecord
             * @static
             * @param {actors.v1.ActorRecord.$Properties} message ActorRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.id);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.def != null && $Object.hasOwnProperty.call(message, "def") && message.def !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.def);
                if (message.module != null && $Object.hasOwnProperty.call(message, "module") && message.module !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.module);
                if (message.epoch != null && $Object.hasOwnProperty.call(message, "epoch") && message.epoch !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.epoch);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.state);
                if (message.node != null && $Object.hasOwnProperty.call(message, "node") && message.node !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.node);
                if (message.endpoint != null && $Object.hasOwnProperty.call(message, "endpoint") && message.endpoint !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.endpoint);
                if (message.hosting != null && $Object.hasOwnProperty.call(message, "hosting") && message.hosting !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).int32(message.hosting);
                if (message.needs != null && $Object.hasOwnProperty.call(message, "needs"))
                    $root.actors.v1.Resources.encode(message.needs, writer.uint32(/* id 10, wireType 2 =*/82).fork(), _depth + 1).ldelim();
                if (message.restart != null && $Object.hasOwnProperty.call(message, "restart"))
                    $root.actors.v1.Restart.encode(message.restart, writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                if (message.parent != null && $Object.hasOwnProperty.call(message, "parent") && message.parent !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.parent);
                if (message.args != null && $Object.hasOwnProperty.call(message, "args") && message.args.length)
                    writer.uint32(/* id 13, wireType 2 =*/106).bytes(message.args);
                if (message.restarts != null && $Object.hasOwnProperty.call(message, "restarts") && message.restarts !== 0)
                    writer.uint32(/* id 14, wireType 0 =*/112).uint32(message.restarts);
                if (message.failure != null && $Object.hasOwnProperty.call(message, "failure"))
                    $root.actors.v1.Failure.encode(message.failure, writer.uint32(/* id 15, wireType 2 =*/122).fork(), _depth + 1).ldelim();
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 16, wireType 0 =*/128).uint32(message.pid);
                if (message.wantNode != null && $Object.hasOwnProperty.call(message, "wantNode") && message.wantNode !== "")
                    writer.uint32(/* id 17, wireType 2 =*/138).string(message.wantNode);
                if (message.mailbox != null && $Object.hasOwnProperty.call(message, "mailbox") && message.mailbox !== 0)
                    writer.uint32(/* id 18, wireType 0 =*/144).uint32(message.mailbox);
                if (message.methods != null && message.methods.length)
                    for (let i = 0; i < message.methods.length; ++i)
                        writer.uint32(/* id 19, wireType 2 =*/154).string(message.methods[i]);
                if (message.host != null && $Object.hasOwnProperty.call(message, "host") && message.host !== "")
                    writer.uint32(/* id 20, wireType 2 =*/162).string(message.host);
                if (message.crashes != null && message.crashes.length)
                    for (let i = 0; i < message.crashes.length; ++i)
                        $root.actors.v1.Crash.encode(message.crashes[i], writer.uint32(/* id 21, wireType 2 =*/170).fork(), _depth + 1).ldelim();
                if (message.placement != null && $Object.hasOwnProperty.call(message, "placement"))
                    $root.actors.v1.Placement.encode(message.placement, writer.uint32(/* id 30, wireType 2 =*/242).fork(), _depth + 1).ldelim();
                if (message.devices != null && message.devices.length)
                    for (let i = 0; i < message.devices.length; ++i)
                        writer.uint32(/* id 31, wireType 2 =*/250).string(message.devices[i]);
                if (message.waiting != null && $Object.hasOwnProperty.call(message, "waiting") && message.waiting !== "")
                    writer.uint32(/* id 32, wireType 2 =*/258).string(message.waiting);
                if (message.keepsState != null && $Object.hasOwnProperty.call(message, "keepsState") && message.keepsState !== false)
                    writer.uint32(/* id 33, wireType 0 =*/264).bool(message.keepsState);
                if (message.passivateAfterMs != null && $Object.hasOwnProperty.call(message, "passivateAfterMs") && message.passivateAfterMs !== 0)
                    writer.uint32(/* id 40, wireType 0 =*/320).uint32(message.passivateAfterMs);
                if (message.rested != null && $Object.hasOwnProperty.call(message, "rested") && message.rested !== 0)
                    writer.uint32(/* id 41, wireType 0 =*/328).uint32(message.rested);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorRecord message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.ActorRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.ActorRecord & actors.v1.ActorRecord.$Shape} ActorRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.ActorRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.def = value;
                            else
                                delete message.def;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.module = value;
                            else
                                delete message.module;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.epoch = value;
                            else
                                delete message.epoch;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.node = value;
                            else
                                delete message.node;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.endpoint = value;
                            else
                                delete message.endpoint;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.hosting = value;
                            else
                                delete message.hosting;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.needs = $root.actors.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.needs);
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.restart = $root.actors.v1.Restart.decode(reader, reader.size(), $undefined, _depth + 1, message.restart);
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.parent = value;
                            else
                                delete message.parent;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.args = value;
                            else
                                delete message.args;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.restarts = value;
                            else
                                delete message.restarts;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            message.failure = $root.actors.v1.Failure.decode(reader, reader.size(), $undefined, _depth + 1, message.failure);
                            continue;
                        }
                    case 16: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 17: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.wantNode = value;
                            else
                                delete message.wantNode;
                            continue;
                        }
                    case 18: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.mailbox = value;
                            else
                                delete message.mailbox;
                            continue;
                        }
                    case 19: {
                            if (wireType !== 2)
                                break;
                            if (!(message.methods && message.methods.length))
                                message.methods = [];
                            message.methods.push(reader.stringVerify());
                            continue;
                        }
                    case 20: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.host = value;
                            else
                                delete message.host;
                            continue;
                        }
                    case 21: {
                            if (wireType !== 2)
                                break;
                            if (!(message.crashes && message.crashes.length))
                                message.crashes = [];
                            message.crashes.push($root.actors.v1.Crash.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 30: {
                            if (wireType !== 2)
                                break;
                            message.placement = $root.actors.v1.Placement.decode(reader, reader.size(), $undefined, _depth + 1, message.placement);
                            continue;
                        }
                    case 31: {
                            if (wireType !== 2)
                                break;
                            if (!(message.devices && message.devices.length))
                                message.devices = [];
                            message.devices.push(reader.stringVerify());
                            continue;
                        }
                    case 32: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.waiting = value;
                            else
                                delete message.waiting;
                            continue;
                        }
                    case 33: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.keepsState = value;
                            else
                                delete message.keepsState;
                            continue;
                        }
                    case 40: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.passivateAfterMs = value;
                            else
                                delete message.passivateAfterMs;
                            continue;
                        }
                    case 41: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.rested = value;
                            else
                                delete message.rested;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for ActorRecord
             * @function getTypeUrl
             * @memberof actors.v1.ActorRecord
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ActorRecord.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.ActorRecord";
            };

            return ActorRecord;
        })();

        v1.Lease = (function() {

            /**
             * Properties of a Lease.
             * @typedef {Object} actors.v1.Lease.$Properties
             * @property {string|null} [endpoint] Lease endpoint
             * @property {string|null} [node] Lease node
             * @property {number|null} [term] Lease term
             * @property {number|null} [beat] Lease beat
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Lease.
             * @memberof actors.v1
             * @interface ILease
             * @augments actors.v1.Lease.$Properties
             * @deprecated Use actors.v1.Lease.$Properties instead.
             */

            /**
             * Shape of a Lease.
             * @typedef {actors.v1.Lease.$Properties} actors.v1.Lease.$Shape
             */

            /**
             * Constructs a new Lease.
             * @memberof actors.v1
             * @classdesc Represents a Lease.
             * @constructor
             * @param {actors.v1.Lease.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Lease = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Lease endpoint.
             * @member {string} endpoint
             * @memberof actors.v1.Lease
             * @instance
             */
            Lease.prototype.endpoint = "";

            /**
             * Lease node.
             * @member {string} node
             * @memberof actors.v1.Lease
             * @instance
             */
            Lease.prototype.node = "";

            /**
             * Lease term.
             * @member {number} term
             * @memberof actors.v1.Lease
             * @instance
             */
            Lease.prototype.term = 0;

            /**
             * Lease beat.
             * @member {number} beat
             * @memberof actors.v1.Lease
             * @instance
             */
            Lease.prototype.beat = 0;

            /**
             * Creates a new Lease instance using the specified properties.
             * @function create
             * @memberof actors.v1.Lease
             * @static
             * @param {actors.v1.Lease.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Lease} Lease instance
             * @type {{
             *   (properties: actors.v1.Lease.$Shape): actors.v1.Lease & actors.v1.Lease.$Shape;
             *   (properties?: actors.v1.Lease.$Properties): actors.v1.Lease;
             * }}
             */
            Lease.create = function(properties) {
                return new Lease(properties);
            };

            /**
             * Encodes the specified Lease message. Does not implicitly {@link actors.v1.Lease.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Lease
             * @static
             * @param {actors.v1.Lease.$Properties} message Lease message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Lease.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.endpoint != null && $Object.hasOwnProperty.call(message, "endpoint") && message.endpoint !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.endpoint);
                if (message.node != null && $Object.hasOwnProperty.call(message, "node") && message.node !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.node);
                if (message.term != null && $Object.hasOwnProperty.call(message, "term") && message.term !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.term);
                if (message.beat != null && $Object.hasOwnProperty.call(message, "beat") && message.beat !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.beat);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Lease message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Lease
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Lease & actors.v1.Lease.$Shape} Lease
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Lease.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Lease();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.endpoint = value;
                            else
                                delete message.endpoint;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.node = value;
                            else
                                delete message.node;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.term = value;
                            else
                                delete message.term;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.beat = value;
                            else
                                delete message.beat;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Lease
             * @function getTypeUrl
             * @memberof actors.v1.Lease
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Lease.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Lease";
            };

            return Lease;
        })();

        v1.Heartbeat = (function() {

            /**
             * Properties of a Heartbeat.
             * @typedef {Object} actors.v1.Heartbeat.$Properties
             * @property {string|null} [endpoint] Heartbeat endpoint
             * @property {number|null} [sentAt] Heartbeat sentAt
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Heartbeat.
             * @memberof actors.v1
             * @interface IHeartbeat
             * @augments actors.v1.Heartbeat.$Properties
             * @deprecated Use actors.v1.Heartbeat.$Properties instead.
             */

            /**
             * Shape of a Heartbeat.
             * @typedef {actors.v1.Heartbeat.$Properties} actors.v1.Heartbeat.$Shape
             */

            /**
             * Constructs a new Heartbeat.
             * @memberof actors.v1
             * @classdesc Represents a Heartbeat.
             * @constructor
             * @param {actors.v1.Heartbeat.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Heartbeat = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Heartbeat endpoint.
             * @member {string} endpoint
             * @memberof actors.v1.Heartbeat
             * @instance
             */
            Heartbeat.prototype.endpoint = "";

            /**
             * Heartbeat sentAt.
             * @member {number} sentAt
             * @memberof actors.v1.Heartbeat
             * @instance
             */
            Heartbeat.prototype.sentAt = 0;

            /**
             * Creates a new Heartbeat instance using the specified properties.
             * @function create
             * @memberof actors.v1.Heartbeat
             * @static
             * @param {actors.v1.Heartbeat.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Heartbeat} Heartbeat instance
             * @type {{
             *   (properties: actors.v1.Heartbeat.$Shape): actors.v1.Heartbeat & actors.v1.Heartbeat.$Shape;
             *   (properties?: actors.v1.Heartbeat.$Properties): actors.v1.Heartbeat;
             * }}
             */
            Heartbeat.create = function(properties) {
                return new Heartbeat(properties);
            };

            /**
             * Encodes the specified Heartbeat message. Does not implicitly {@link actors.v1.Heartbeat.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Heartbeat
             * @static
             * @param {actors.v1.Heartbeat.$Properties} message Heartbeat message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Heartbeat.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.endpoint != null && $Object.hasOwnProperty.call(message, "endpoint") && message.endpoint !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.endpoint);
                if (message.sentAt != null && $Object.hasOwnProperty.call(message, "sentAt") && !$Object.is(message.sentAt, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.sentAt);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Heartbeat message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Heartbeat
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Heartbeat & actors.v1.Heartbeat.$Shape} Heartbeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Heartbeat.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Heartbeat();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.endpoint = value;
                            else
                                delete message.endpoint;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.sentAt = value;
                            else
                                delete message.sentAt;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Heartbeat
             * @function getTypeUrl
             * @memberof actors.v1.Heartbeat
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Heartbeat.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Heartbeat";
            };

            return Heartbeat;
        })();

        v1.ClusterEvent = (function() {

            /**
             * Properties of a ClusterEvent.
             * @typedef {Object} actors.v1.ClusterEvent.$Properties
             * @property {number|null} [at] ClusterEvent at
             * @property {string|null} [kind] ClusterEvent kind
             * @property {string|null} [subject] ClusterEvent subject
             * @property {string|null} [text] ClusterEvent text
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ClusterEvent.
             * @memberof actors.v1
             * @interface IClusterEvent
             * @augments actors.v1.ClusterEvent.$Properties
             * @deprecated Use actors.v1.ClusterEvent.$Properties instead.
             */

            /**
             * Shape of a ClusterEvent.
             * @typedef {actors.v1.ClusterEvent.$Properties} actors.v1.ClusterEvent.$Shape
             */

            /**
             * Constructs a new ClusterEvent.
             * @memberof actors.v1
             * @classdesc Represents a ClusterEvent.
             * @constructor
             * @param {actors.v1.ClusterEvent.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ClusterEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ClusterEvent at.
             * @member {number} at
             * @memberof actors.v1.ClusterEvent
             * @instance
             */
            ClusterEvent.prototype.at = 0;

            /**
             * ClusterEvent kind.
             * @member {string} kind
             * @memberof actors.v1.ClusterEvent
             * @instance
             */
            ClusterEvent.prototype.kind = "";

            /**
             * ClusterEvent subject.
             * @member {string} subject
             * @memberof actors.v1.ClusterEvent
             * @instance
             */
            ClusterEvent.prototype.subject = "";

            /**
             * ClusterEvent text.
             * @member {string} text
             * @memberof actors.v1.ClusterEvent
             * @instance
             */
            ClusterEvent.prototype.text = "";

            /**
             * Creates a new ClusterEvent instance using the specified properties.
             * @function create
             * @memberof actors.v1.ClusterEvent
             * @static
             * @param {actors.v1.ClusterEvent.$Properties=} [properties] Properties to set
             * @returns {actors.v1.ClusterEvent} ClusterEvent instance
             * @type {{
             *   (properties: actors.v1.ClusterEvent.$Shape): actors.v1.ClusterEvent & actors.v1.ClusterEvent.$Shape;
             *   (properties?: actors.v1.ClusterEvent.$Properties): actors.v1.ClusterEvent;
             * }}
             */
            ClusterEvent.create = function(properties) {
                return new ClusterEvent(properties);
            };

            /**
             * Encodes the specified ClusterEvent message. Does not implicitly {@link actors.v1.ClusterEvent.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.ClusterEvent
             * @static
             * @param {actors.v1.ClusterEvent.$Properties} message ClusterEvent message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ClusterEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.at != null && $Object.hasOwnProperty.call(message, "at") && !$Object.is(message.at, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.at);
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.kind);
                if (message.subject != null && $Object.hasOwnProperty.call(message, "subject") && message.subject !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.subject);
                if (message.text != null && $Object.hasOwnProperty.call(message, "text") && message.text !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.text);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ClusterEvent message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.ClusterEvent
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.ClusterEvent & actors.v1.ClusterEvent.$Shape} ClusterEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ClusterEvent.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.ClusterEvent();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.at = value;
                            else
                                delete message.at;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.subject = value;
                            else
                                delete message.subject;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.text = value;
                            else
                                delete message.text;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for ClusterEvent
             * @function getTypeUrl
             * @memberof actors.v1.ClusterEvent
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            ClusterEvent.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.ClusterEvent";
            };

            return ClusterEvent;
        })();

        v1.SandboxFile = (function() {

            /**
             * Properties of a SandboxFile.
             * @typedef {Object} actors.v1.SandboxFile.$Properties
             * @property {string|null} [path] SandboxFile path
             * @property {Uint8Array|null} [content] SandboxFile content
             * @property {number|null} [mode] SandboxFile mode
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxFile.
             * @memberof actors.v1
             * @interface ISandboxFile
             * @augments actors.v1.SandboxFile.$Properties
             * @deprecated Use actors.v1.SandboxFile.$Properties instead.
             */

            /**
             * Shape of a SandboxFile.
             * @typedef {actors.v1.SandboxFile.$Properties} actors.v1.SandboxFile.$Shape
             */

            /**
             * Constructs a new SandboxFile.
             * @memberof actors.v1
             * @classdesc Represents a SandboxFile.
             * @constructor
             * @param {actors.v1.SandboxFile.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxFile = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxFile path.
             * @member {string} path
             * @memberof actors.v1.SandboxFile
             * @instance
             */
            SandboxFile.prototype.path = "";

            /**
             * SandboxFile content.
             * @member {Uint8Array} content
             * @memberof actors.v1.SandboxFile
             * @instance
             */
            SandboxFile.prototype.content = $util.newBuffer([]);

            /**
             * SandboxFile mode.
             * @member {number} mode
             * @memberof actors.v1.SandboxFile
             * @instance
             */
            SandboxFile.prototype.mode = 0;

            /**
             * Creates a new SandboxFile instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxFile
             * @static
             * @param {actors.v1.SandboxFile.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxFile} SandboxFile instance
             * @type {{
             *   (properties: actors.v1.SandboxFile.$Shape): actors.v1.SandboxFile & actors.v1.SandboxFile.$Shape;
             *   (properties?: actors.v1.SandboxFile.$Properties): actors.v1.SandboxFile;
             * }}
             */
            SandboxFile.create = function(properties) {
                return new SandboxFile(properties);
            };

            /**
             * Encodes the specified SandboxFile message. Does not implicitly {@link actors.v1.SandboxFile.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxFile
             * @static
             * @param {actors.v1.SandboxFile.$Properties} message SandboxFile message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxFile.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.path);
                if (message.content != null && $Object.hasOwnProperty.call(message, "content") && message.content.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.content);
                if (message.mode != null && $Object.hasOwnProperty.call(message, "mode") && message.mode !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.mode);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxFile message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxFile
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxFile & actors.v1.SandboxFile.$Shape} SandboxFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxFile.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxFile();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.content = value;
                            else
                                delete message.content;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.mode = value;
                            else
                                delete message.mode;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxFile
             * @function getTypeUrl
             * @memberof actors.v1.SandboxFile
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxFile.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxFile";
            };

            return SandboxFile;
        })();

        v1.SandboxOp = (function() {

            /**
             * Properties of a SandboxOp.
             * @typedef {Object} actors.v1.SandboxOp.$Properties
             * @property {actors.v1.SandboxReset.$Properties|null} [reset] SandboxOp reset
             * @property {actors.v1.SandboxFile.$Properties|null} [write] SandboxOp write
             * @property {string|null} [read] SandboxOp read
             * @property {string|null} [list] SandboxOp list
             * @property {actors.v1.SandboxExec.$Properties|null} [exec] SandboxOp exec
             * @property {string|null} [remove] SandboxOp remove
             * @property {actors.v1.SandboxKill.$Properties|null} [kill] SandboxOp kill
             * @property {actors.v1.SandboxInput.$Properties|null} [input] SandboxOp input
             * @property {boolean|null} [settle] SandboxOp settle
             * @property {"reset"|"write"|"read"|"list"|"exec"|"remove"|"kill"|"input"|"settle"} [op] SandboxOp op
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxOp.
             * @memberof actors.v1
             * @interface ISandboxOp
             * @augments actors.v1.SandboxOp.$Properties
             * @deprecated Use actors.v1.SandboxOp.$Properties instead.
             */

            /**
             * Narrowed shape of a SandboxOp.
             * @typedef {{
             *   reset?: actors.v1.SandboxReset.$Shape|null;
             *   write?: actors.v1.SandboxFile.$Shape|null;
             *   read?: string|null;
             *   list?: string|null;
             *   exec?: actors.v1.SandboxExec.$Shape|null;
             *   remove?: string|null;
             *   kill?: actors.v1.SandboxKill.$Shape|null;
             *   input?: actors.v1.SandboxInput.$Shape|null;
             *   settle?: boolean|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ op?: undefined; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "reset"; reset: actors.v1.SandboxReset.$Shape; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "write"; reset?: null; write: actors.v1.SandboxFile.$Shape; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "read"; reset?: null; write?: null; read: string; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "list"; reset?: null; write?: null; read?: null; list: string; exec?: null; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "exec"; reset?: null; write?: null; read?: null; list?: null; exec: actors.v1.SandboxExec.$Shape; remove?: null; kill?: null; input?: null; settle?: null }|{ op?: "remove"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove: string; kill?: null; input?: null; settle?: null }|{ op?: "kill"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill: actors.v1.SandboxKill.$Shape; input?: null; settle?: null }|{ op?: "input"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input: actors.v1.SandboxInput.$Shape; settle?: null }|{ op?: "settle"; reset?: null; write?: null; read?: null; list?: null; exec?: null; remove?: null; kill?: null; input?: null; settle: boolean })
             * )} actors.v1.SandboxOp.$Shape
             */

            /**
             * Constructs a new SandboxOp.
             * @memberof actors.v1
             * @classdesc Represents a SandboxOp.
             * @constructor
             * @param {actors.v1.SandboxOp.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxOp = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxOp reset.
             * @member {actors.v1.SandboxReset.$Properties|null|undefined} reset
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.reset = null;

            /**
             * SandboxOp write.
             * @member {actors.v1.SandboxFile.$Properties|null|undefined} write
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.write = null;

            /**
             * SandboxOp read.
             * @member {string|null|undefined} read
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.read = null;

            /**
             * SandboxOp list.
             * @member {string|null|undefined} list
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.list = null;

            /**
             * SandboxOp exec.
             * @member {actors.v1.SandboxExec.$Properties|null|undefined} exec
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.exec = null;

            /**
             * SandboxOp remove.
             * @member {string|null|undefined} remove
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.remove = null;

            /**
             * SandboxOp kill.
             * @member {actors.v1.SandboxKill.$Properties|null|undefined} kill
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.kill = null;

            /**
             * SandboxOp input.
             * @member {actors.v1.SandboxInput.$Properties|null|undefined} input
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.input = null;

            /**
             * SandboxOp settle.
             * @member {boolean|null|undefined} settle
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            SandboxOp.prototype.settle = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * SandboxOp op.
             * @member {"reset"|"write"|"read"|"list"|"exec"|"remove"|"kill"|"input"|"settle"|undefined} op
             * @memberof actors.v1.SandboxOp
             * @instance
             */
            $Object.defineProperty(SandboxOp.prototype, "op", {
                get: $util.oneOfGetter($oneOfFields = ["reset", "write", "read", "list", "exec", "remove", "kill", "input", "settle"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SandboxOp instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxOp
             * @static
             * @param {actors.v1.SandboxOp.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxOp} SandboxOp instance
             * @type {{
             *   (properties: actors.v1.SandboxOp.$Shape): actors.v1.SandboxOp & actors.v1.SandboxOp.$Shape;
             *   (properties?: actors.v1.SandboxOp.$Properties): actors.v1.SandboxOp;
             * }}
             */
            SandboxOp.create = function(properties) {
                return new SandboxOp(properties);
            };

            /**
             * Encodes the specified SandboxOp message. Does not implicitly {@link actors.v1.SandboxOp.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxOp
             * @static
             * @param {actors.v1.SandboxOp.$Properties} message SandboxOp message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxOp.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reset != null && $Object.hasOwnProperty.call(message, "reset"))
                    $root.actors.v1.SandboxReset.encode(message.reset, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.write != null && $Object.hasOwnProperty.call(message, "write"))
                    $root.actors.v1.SandboxFile.encode(message.write, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.read != null && $Object.hasOwnProperty.call(message, "read"))
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.read);
                if (message.list != null && $Object.hasOwnProperty.call(message, "list"))
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.list);
                if (message.exec != null && $Object.hasOwnProperty.call(message, "exec"))
                    $root.actors.v1.SandboxExec.encode(message.exec, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.remove != null && $Object.hasOwnProperty.call(message, "remove"))
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.remove);
                if (message.kill != null && $Object.hasOwnProperty.call(message, "kill"))
                    $root.actors.v1.SandboxKill.encode(message.kill, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.input != null && $Object.hasOwnProperty.call(message, "input"))
                    $root.actors.v1.SandboxInput.encode(message.input, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.settle != null && $Object.hasOwnProperty.call(message, "settle"))
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message.settle);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxOp message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxOp
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxOp & actors.v1.SandboxOp.$Shape} SandboxOp
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxOp.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxOp();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.reset = $root.actors.v1.SandboxReset.decode(reader, reader.size(), $undefined, _depth + 1, message.reset);
                            message.op = "reset";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.write = $root.actors.v1.SandboxFile.decode(reader, reader.size(), $undefined, _depth + 1, message.write);
                            message.op = "write";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.read = reader.stringVerify();
                            message.op = "read";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.list = reader.stringVerify();
                            message.op = "list";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.exec = $root.actors.v1.SandboxExec.decode(reader, reader.size(), $undefined, _depth + 1, message.exec);
                            message.op = "exec";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.remove = reader.stringVerify();
                            message.op = "remove";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.kill = $root.actors.v1.SandboxKill.decode(reader, reader.size(), $undefined, _depth + 1, message.kill);
                            message.op = "kill";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.input = $root.actors.v1.SandboxInput.decode(reader, reader.size(), $undefined, _depth + 1, message.input);
                            message.op = "input";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            message.settle = reader.bool();
                            message.op = "settle";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxOp
             * @function getTypeUrl
             * @memberof actors.v1.SandboxOp
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxOp.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxOp";
            };

            return SandboxOp;
        })();

        v1.SandboxReset = (function() {

            /**
             * Properties of a SandboxReset.
             * @typedef {Object} actors.v1.SandboxReset.$Properties
             * @property {Array.<actors.v1.SandboxFile.$Properties>|null} [files] SandboxReset files
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxReset.
             * @memberof actors.v1
             * @interface ISandboxReset
             * @augments actors.v1.SandboxReset.$Properties
             * @deprecated Use actors.v1.SandboxReset.$Properties instead.
             */

            /**
             * Shape of a SandboxReset.
             * @typedef {actors.v1.SandboxReset.$Properties} actors.v1.SandboxReset.$Shape
             */

            /**
             * Constructs a new SandboxReset.
             * @memberof actors.v1
             * @classdesc Represents a SandboxReset.
             * @constructor
             * @param {actors.v1.SandboxReset.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxReset = function (properties) {
                this.files = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxReset files.
             * @member {Array.<actors.v1.SandboxFile.$Properties>} files
             * @memberof actors.v1.SandboxReset
             * @instance
             */
            SandboxReset.prototype.files = $util.emptyArray;

            /**
             * Creates a new SandboxReset instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxReset
             * @static
             * @param {actors.v1.SandboxReset.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxReset} SandboxReset instance
             * @type {{
             *   (properties: actors.v1.SandboxReset.$Shape): actors.v1.SandboxReset & actors.v1.SandboxReset.$Shape;
             *   (properties?: actors.v1.SandboxReset.$Properties): actors.v1.SandboxReset;
             * }}
             */
            SandboxReset.create = function(properties) {
                return new SandboxReset(properties);
            };

            /**
             * Encodes the specified SandboxReset message. Does not implicitly {@link actors.v1.SandboxReset.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxReset
             * @static
             * @param {actors.v1.SandboxReset.$Properties} message SandboxReset message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxReset.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.files != null && message.files.length)
                    for (let i = 0; i < message.files.length; ++i)
                        $root.actors.v1.SandboxFile.encode(message.files[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxReset message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxReset
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxReset & actors.v1.SandboxReset.$Shape} SandboxReset
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxReset.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxReset();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.files && message.files.length))
                                message.files = [];
                            message.files.push($root.actors.v1.SandboxFile.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxReset
             * @function getTypeUrl
             * @memberof actors.v1.SandboxReset
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxReset.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxReset";
            };

            return SandboxReset;
        })();

        v1.SandboxExec = (function() {

            /**
             * Properties of a SandboxExec.
             * @typedef {Object} actors.v1.SandboxExec.$Properties
             * @property {Array.<string>|null} [argv] SandboxExec argv
             * @property {number|null} [timeoutMs] SandboxExec timeoutMs
             * @property {Uint8Array|null} [stdin] SandboxExec stdin
             * @property {number|null} [maxOutput] SandboxExec maxOutput
             * @property {string|null} [shell] SandboxExec shell
             * @property {string|null} [cwd] SandboxExec cwd
             * @property {Array.<string>|null} [env] SandboxExec env
             * @property {boolean|null} [stream] SandboxExec stream
             * @property {boolean|null} [openStdin] SandboxExec openStdin
             * @property {string|null} [tag] SandboxExec tag
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxExec.
             * @memberof actors.v1
             * @interface ISandboxExec
             * @augments actors.v1.SandboxExec.$Properties
             * @deprecated Use actors.v1.SandboxExec.$Properties instead.
             */

            /**
             * Shape of a SandboxExec.
             * @typedef {actors.v1.SandboxExec.$Properties} actors.v1.SandboxExec.$Shape
             */

            /**
             * Constructs a new SandboxExec.
             * @memberof actors.v1
             * @classdesc Represents a SandboxExec.
             * @constructor
             * @param {actors.v1.SandboxExec.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxExec = function (properties) {
                this.argv = [];
                this.env = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxExec argv.
             * @member {Array.<string>} argv
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.argv = $util.emptyArray;

            /**
             * SandboxExec timeoutMs.
             * @member {number} timeoutMs
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.timeoutMs = 0;

            /**
             * SandboxExec stdin.
             * @member {Uint8Array} stdin
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.stdin = $util.newBuffer([]);

            /**
             * SandboxExec maxOutput.
             * @member {number} maxOutput
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.maxOutput = 0;

            /**
             * SandboxExec shell.
             * @member {string} shell
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.shell = "";

            /**
             * SandboxExec cwd.
             * @member {string} cwd
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.cwd = "";

            /**
             * SandboxExec env.
             * @member {Array.<string>} env
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.env = $util.emptyArray;

            /**
             * SandboxExec stream.
             * @member {boolean} stream
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.stream = false;

            /**
             * SandboxExec openStdin.
             * @member {boolean} openStdin
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.openStdin = false;

            /**
             * SandboxExec tag.
             * @member {string} tag
             * @memberof actors.v1.SandboxExec
             * @instance
             */
            SandboxExec.prototype.tag = "";

            /**
             * Creates a new SandboxExec instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxExec
             * @static
             * @param {actors.v1.SandboxExec.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxExec} SandboxExec instance
             * @type {{
             *   (properties: actors.v1.SandboxExec.$Shape): actors.v1.SandboxExec & actors.v1.SandboxExec.$Shape;
             *   (properties?: actors.v1.SandboxExec.$Properties): actors.v1.SandboxExec;
             * }}
             */
            SandboxExec.create = function(properties) {
                return new SandboxExec(properties);
            };

            /**
             * Encodes the specified SandboxExec message. Does not implicitly {@link actors.v1.SandboxExec.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxExec
             * @static
             * @param {actors.v1.SandboxExec.$Properties} message SandboxExec message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxExec.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.argv != null && message.argv.length)
                    for (let i = 0; i < message.argv.length; ++i)
                        writer.uint32(/* id 1, wireType 2 =*/10).string(message.argv[i]);
                if (message.timeoutMs != null && $Object.hasOwnProperty.call(message, "timeoutMs") && message.timeoutMs !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.timeoutMs);
                if (message.stdin != null && $Object.hasOwnProperty.call(message, "stdin") && message.stdin.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.stdin);
                if (message.maxOutput != null && $Object.hasOwnProperty.call(message, "maxOutput") && message.maxOutput !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.maxOutput);
                if (message.shell != null && $Object.hasOwnProperty.call(message, "shell") && message.shell !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.shell);
                if (message.cwd != null && $Object.hasOwnProperty.call(message, "cwd") && message.cwd !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.cwd);
                if (message.env != null && message.env.length)
                    for (let i = 0; i < message.env.length; ++i)
                        writer.uint32(/* id 7, wireType 2 =*/58).string(message.env[i]);
                if (message.stream != null && $Object.hasOwnProperty.call(message, "stream") && message.stream !== false)
                    writer.uint32(/* id 8, wireType 0 =*/64).bool(message.stream);
                if (message.openStdin != null && $Object.hasOwnProperty.call(message, "openStdin") && message.openStdin !== false)
                    writer.uint32(/* id 9, wireType 0 =*/72).bool(message.openStdin);
                if (message.tag != null && $Object.hasOwnProperty.call(message, "tag") && message.tag !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.tag);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxExec message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxExec
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxExec & actors.v1.SandboxExec.$Shape} SandboxExec
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxExec.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxExec();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.argv && message.argv.length))
                                message.argv = [];
                            message.argv.push(reader.stringVerify());
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.timeoutMs = value;
                            else
                                delete message.timeoutMs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.stdin = value;
                            else
                                delete message.stdin;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxOutput = value;
                            else
                                delete message.maxOutput;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.shell = value;
                            else
                                delete message.shell;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.cwd = value;
                            else
                                delete message.cwd;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (!(message.env && message.env.length))
                                message.env = [];
                            message.env.push(reader.stringVerify());
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.stream = value;
                            else
                                delete message.stream;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.openStdin = value;
                            else
                                delete message.openStdin;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tag = value;
                            else
                                delete message.tag;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxExec
             * @function getTypeUrl
             * @memberof actors.v1.SandboxExec
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxExec.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxExec";
            };

            return SandboxExec;
        })();

        v1.SandboxKill = (function() {

            /**
             * Properties of a SandboxKill.
             * @typedef {Object} actors.v1.SandboxKill.$Properties
             * @property {number|null} [run] SandboxKill run
             * @property {string|null} [signal] SandboxKill signal
             * @property {string|null} [tag] SandboxKill tag
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxKill.
             * @memberof actors.v1
             * @interface ISandboxKill
             * @augments actors.v1.SandboxKill.$Properties
             * @deprecated Use actors.v1.SandboxKill.$Properties instead.
             */

            /**
             * Shape of a SandboxKill.
             * @typedef {actors.v1.SandboxKill.$Properties} actors.v1.SandboxKill.$Shape
             */

            /**
             * Constructs a new SandboxKill.
             * @memberof actors.v1
             * @classdesc Represents a SandboxKill.
             * @constructor
             * @param {actors.v1.SandboxKill.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxKill = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxKill run.
             * @member {number} run
             * @memberof actors.v1.SandboxKill
             * @instance
             */
            SandboxKill.prototype.run = 0;

            /**
             * SandboxKill signal.
             * @member {string} signal
             * @memberof actors.v1.SandboxKill
             * @instance
             */
            SandboxKill.prototype.signal = "";

            /**
             * SandboxKill tag.
             * @member {string} tag
             * @memberof actors.v1.SandboxKill
             * @instance
             */
            SandboxKill.prototype.tag = "";

            /**
             * Creates a new SandboxKill instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxKill
             * @static
             * @param {actors.v1.SandboxKill.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxKill} SandboxKill instance
             * @type {{
             *   (properties: actors.v1.SandboxKill.$Shape): actors.v1.SandboxKill & actors.v1.SandboxKill.$Shape;
             *   (properties?: actors.v1.SandboxKill.$Properties): actors.v1.SandboxKill;
             * }}
             */
            SandboxKill.create = function(properties) {
                return new SandboxKill(properties);
            };

            /**
             * Encodes the specified SandboxKill message. Does not implicitly {@link actors.v1.SandboxKill.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxKill
             * @static
             * @param {actors.v1.SandboxKill.$Properties} message SandboxKill message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxKill.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.run != null && $Object.hasOwnProperty.call(message, "run") && message.run !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.run);
                if (message.signal != null && $Object.hasOwnProperty.call(message, "signal") && message.signal !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.signal);
                if (message.tag != null && $Object.hasOwnProperty.call(message, "tag") && message.tag !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.tag);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxKill message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxKill
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxKill & actors.v1.SandboxKill.$Shape} SandboxKill
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxKill.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxKill();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.run = value;
                            else
                                delete message.run;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.signal = value;
                            else
                                delete message.signal;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tag = value;
                            else
                                delete message.tag;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxKill
             * @function getTypeUrl
             * @memberof actors.v1.SandboxKill
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxKill.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxKill";
            };

            return SandboxKill;
        })();

        v1.SandboxInput = (function() {

            /**
             * Properties of a SandboxInput.
             * @typedef {Object} actors.v1.SandboxInput.$Properties
             * @property {string|null} [tag] SandboxInput tag
             * @property {Uint8Array|null} [data] SandboxInput data
             * @property {boolean|null} [close] SandboxInput close
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxInput.
             * @memberof actors.v1
             * @interface ISandboxInput
             * @augments actors.v1.SandboxInput.$Properties
             * @deprecated Use actors.v1.SandboxInput.$Properties instead.
             */

            /**
             * Shape of a SandboxInput.
             * @typedef {actors.v1.SandboxInput.$Properties} actors.v1.SandboxInput.$Shape
             */

            /**
             * Constructs a new SandboxInput.
             * @memberof actors.v1
             * @classdesc Represents a SandboxInput.
             * @constructor
             * @param {actors.v1.SandboxInput.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxInput = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxInput tag.
             * @member {string} tag
             * @memberof actors.v1.SandboxInput
             * @instance
             */
            SandboxInput.prototype.tag = "";

            /**
             * SandboxInput data.
             * @member {Uint8Array} data
             * @memberof actors.v1.SandboxInput
             * @instance
             */
            SandboxInput.prototype.data = $util.newBuffer([]);

            /**
             * SandboxInput close.
             * @member {boolean} close
             * @memberof actors.v1.SandboxInput
             * @instance
             */
            SandboxInput.prototype.close = false;

            /**
             * Creates a new SandboxInput instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxInput
             * @static
             * @param {actors.v1.SandboxInput.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxInput} SandboxInput instance
             * @type {{
             *   (properties: actors.v1.SandboxInput.$Shape): actors.v1.SandboxInput & actors.v1.SandboxInput.$Shape;
             *   (properties?: actors.v1.SandboxInput.$Properties): actors.v1.SandboxInput;
             * }}
             */
            SandboxInput.create = function(properties) {
                return new SandboxInput(properties);
            };

            /**
             * Encodes the specified SandboxInput message. Does not implicitly {@link actors.v1.SandboxInput.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxInput
             * @static
             * @param {actors.v1.SandboxInput.$Properties} message SandboxInput message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxInput.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tag != null && $Object.hasOwnProperty.call(message, "tag") && message.tag !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.tag);
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.data);
                if (message.close != null && $Object.hasOwnProperty.call(message, "close") && message.close !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.close);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxInput message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxInput
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxInput & actors.v1.SandboxInput.$Shape} SandboxInput
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxInput.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxInput();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.tag = value;
                            else
                                delete message.tag;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.close = value;
                            else
                                delete message.close;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxInput
             * @function getTypeUrl
             * @memberof actors.v1.SandboxInput
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxInput.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxInput";
            };

            return SandboxInput;
        })();

        v1.SandboxRun = (function() {

            /**
             * Properties of a SandboxRun.
             * @typedef {Object} actors.v1.SandboxRun.$Properties
             * @property {string|null} [sandbox] SandboxRun sandbox
             * @property {Array.<actors.v1.SandboxOp.$Properties>|null} [ops] SandboxRun ops
             * @property {number|null} [id] SandboxRun id
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxRun.
             * @memberof actors.v1
             * @interface ISandboxRun
             * @augments actors.v1.SandboxRun.$Properties
             * @deprecated Use actors.v1.SandboxRun.$Properties instead.
             */

            /**
             * Shape of a SandboxRun.
             * @typedef {{
             *   sandbox?: string|null;
             *   ops?: Array.<actors.v1.SandboxOp.$Shape>|null;
             *   id?: number|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} actors.v1.SandboxRun.$Shape
             */

            /**
             * Constructs a new SandboxRun.
             * @memberof actors.v1
             * @classdesc Represents a SandboxRun.
             * @constructor
             * @param {actors.v1.SandboxRun.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxRun = function (properties) {
                this.ops = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxRun sandbox.
             * @member {string} sandbox
             * @memberof actors.v1.SandboxRun
             * @instance
             */
            SandboxRun.prototype.sandbox = "";

            /**
             * SandboxRun ops.
             * @member {Array.<actors.v1.SandboxOp.$Properties>} ops
             * @memberof actors.v1.SandboxRun
             * @instance
             */
            SandboxRun.prototype.ops = $util.emptyArray;

            /**
             * SandboxRun id.
             * @member {number} id
             * @memberof actors.v1.SandboxRun
             * @instance
             */
            SandboxRun.prototype.id = 0;

            /**
             * Creates a new SandboxRun instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxRun
             * @static
             * @param {actors.v1.SandboxRun.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxRun} SandboxRun instance
             * @type {{
             *   (properties: actors.v1.SandboxRun.$Shape): actors.v1.SandboxRun & actors.v1.SandboxRun.$Shape;
             *   (properties?: actors.v1.SandboxRun.$Properties): actors.v1.SandboxRun;
             * }}
             */
            SandboxRun.create = function(properties) {
                return new SandboxRun(properties);
            };

            /**
             * Encodes the specified SandboxRun message. Does not implicitly {@link actors.v1.SandboxRun.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxRun
             * @static
             * @param {actors.v1.SandboxRun.$Properties} message SandboxRun message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxRun.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sandbox != null && $Object.hasOwnProperty.call(message, "sandbox") && message.sandbox !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.sandbox);
                if (message.ops != null && message.ops.length)
                    for (let i = 0; i < message.ops.length; ++i)
                        $root.actors.v1.SandboxOp.encode(message.ops[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.id);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxRun message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxRun
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxRun & actors.v1.SandboxRun.$Shape} SandboxRun
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxRun.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxRun();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sandbox = value;
                            else
                                delete message.sandbox;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.ops && message.ops.length))
                                message.ops = [];
                            message.ops.push($root.actors.v1.SandboxOp.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxRun
             * @function getTypeUrl
             * @memberof actors.v1.SandboxRun
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxRun.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxRun";
            };

            return SandboxRun;
        })();

        v1.SandboxResult = (function() {

            /**
             * Properties of a SandboxResult.
             * @typedef {Object} actors.v1.SandboxResult.$Properties
             * @property {boolean|null} [ok] SandboxResult ok
             * @property {Uint8Array|null} [data] SandboxResult data
             * @property {Uint8Array|null} [stderr] SandboxResult stderr
             * @property {number|null} [exitCode] SandboxResult exitCode
             * @property {string|null} [signal] SandboxResult signal
             * @property {boolean|null} [timedOut] SandboxResult timedOut
             * @property {boolean|null} [truncated] SandboxResult truncated
             * @property {Array.<string>|null} [names] SandboxResult names
             * @property {string|null} [error] SandboxResult error
             * @property {string|null} [kinds] SandboxResult kinds
             * @property {string|null} [stdoutLog] SandboxResult stdoutLog
             * @property {string|null} [stderrLog] SandboxResult stderrLog
             * @property {string|null} [cwd] SandboxResult cwd
             * @property {boolean|null} [shellLost] SandboxResult shellLost
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxResult.
             * @memberof actors.v1
             * @interface ISandboxResult
             * @augments actors.v1.SandboxResult.$Properties
             * @deprecated Use actors.v1.SandboxResult.$Properties instead.
             */

            /**
             * Shape of a SandboxResult.
             * @typedef {actors.v1.SandboxResult.$Properties} actors.v1.SandboxResult.$Shape
             */

            /**
             * Constructs a new SandboxResult.
             * @memberof actors.v1
             * @classdesc Represents a SandboxResult.
             * @constructor
             * @param {actors.v1.SandboxResult.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxResult = function (properties) {
                this.names = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxResult ok.
             * @member {boolean} ok
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.ok = false;

            /**
             * SandboxResult data.
             * @member {Uint8Array} data
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.data = $util.newBuffer([]);

            /**
             * SandboxResult stderr.
             * @member {Uint8Array} stderr
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.stderr = $util.newBuffer([]);

            /**
             * SandboxResult exitCode.
             * @member {number} exitCode
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.exitCode = 0;

            /**
             * SandboxResult signal.
             * @member {string} signal
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.signal = "";

            /**
             * SandboxResult timedOut.
             * @member {boolean} timedOut
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.timedOut = false;

            /**
             * SandboxResult truncated.
             * @member {boolean} truncated
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.truncated = false;

            /**
             * SandboxResult names.
             * @member {Array.<string>} names
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.names = $util.emptyArray;

            /**
             * SandboxResult error.
             * @member {string} error
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.error = "";

            /**
             * SandboxResult kinds.
             * @member {string} kinds
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.kinds = "";

            /**
             * SandboxResult stdoutLog.
             * @member {string} stdoutLog
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.stdoutLog = "";

            /**
             * SandboxResult stderrLog.
             * @member {string} stderrLog
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.stderrLog = "";

            /**
             * SandboxResult cwd.
             * @member {string} cwd
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.cwd = "";

            /**
             * SandboxResult shellLost.
             * @member {boolean} shellLost
             * @memberof actors.v1.SandboxResult
             * @instance
             */
            SandboxResult.prototype.shellLost = false;

            /**
             * Creates a new SandboxResult instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxResult
             * @static
             * @param {actors.v1.SandboxResult.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxResult} SandboxResult instance
             * @type {{
             *   (properties: actors.v1.SandboxResult.$Shape): actors.v1.SandboxResult & actors.v1.SandboxResult.$Shape;
             *   (properties?: actors.v1.SandboxResult.$Properties): actors.v1.SandboxResult;
             * }}
             */
            SandboxResult.create = function(properties) {
                return new SandboxResult(properties);
            };

            /**
             * Encodes the specified SandboxResult message. Does not implicitly {@link actors.v1.SandboxResult.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxResult
             * @static
             * @param {actors.v1.SandboxResult.$Properties} message SandboxResult message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxResult.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.ok != null && $Object.hasOwnProperty.call(message, "ok") && message.ok !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.ok);
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.data);
                if (message.stderr != null && $Object.hasOwnProperty.call(message, "stderr") && message.stderr.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.stderr);
                if (message.exitCode != null && $Object.hasOwnProperty.call(message, "exitCode") && message.exitCode !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).sint32(message.exitCode);
                if (message.signal != null && $Object.hasOwnProperty.call(message, "signal") && message.signal !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.signal);
                if (message.timedOut != null && $Object.hasOwnProperty.call(message, "timedOut") && message.timedOut !== false)
                    writer.uint32(/* id 6, wireType 0 =*/48).bool(message.timedOut);
                if (message.truncated != null && $Object.hasOwnProperty.call(message, "truncated") && message.truncated !== false)
                    writer.uint32(/* id 7, wireType 0 =*/56).bool(message.truncated);
                if (message.names != null && message.names.length)
                    for (let i = 0; i < message.names.length; ++i)
                        writer.uint32(/* id 8, wireType 2 =*/66).string(message.names[i]);
                if (message.error != null && $Object.hasOwnProperty.call(message, "error") && message.error !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.error);
                if (message.kinds != null && $Object.hasOwnProperty.call(message, "kinds") && message.kinds !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.kinds);
                if (message.stdoutLog != null && $Object.hasOwnProperty.call(message, "stdoutLog") && message.stdoutLog !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.stdoutLog);
                if (message.stderrLog != null && $Object.hasOwnProperty.call(message, "stderrLog") && message.stderrLog !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.stderrLog);
                if (message.cwd != null && $Object.hasOwnProperty.call(message, "cwd") && message.cwd !== "")
                    writer.uint32(/* id 13, wireType 2 =*/106).string(message.cwd);
                if (message.shellLost != null && $Object.hasOwnProperty.call(message, "shellLost") && message.shellLost !== false)
                    writer.uint32(/* id 14, wireType 0 =*/112).bool(message.shellLost);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxResult message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxResult
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxResult & actors.v1.SandboxResult.$Shape} SandboxResult
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxResult.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxResult();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.ok = value;
                            else
                                delete message.ok;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.stderr = value;
                            else
                                delete message.stderr;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.sint32())
                                message.exitCode = value;
                            else
                                delete message.exitCode;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.signal = value;
                            else
                                delete message.signal;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.timedOut = value;
                            else
                                delete message.timedOut;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.truncated = value;
                            else
                                delete message.truncated;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if (!(message.names && message.names.length))
                                message.names = [];
                            message.names.push(reader.stringVerify());
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.error = value;
                            else
                                delete message.error;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.kinds = value;
                            else
                                delete message.kinds;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stdoutLog = value;
                            else
                                delete message.stdoutLog;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stderrLog = value;
                            else
                                delete message.stderrLog;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.cwd = value;
                            else
                                delete message.cwd;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.shellLost = value;
                            else
                                delete message.shellLost;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxResult
             * @function getTypeUrl
             * @memberof actors.v1.SandboxResult
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxResult.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxResult";
            };

            return SandboxResult;
        })();

        v1.SandboxResults = (function() {

            /**
             * Properties of a SandboxResults.
             * @typedef {Object} actors.v1.SandboxResults.$Properties
             * @property {Array.<actors.v1.SandboxResult.$Properties>|null} [results] SandboxResults results
             * @property {number|null} [id] SandboxResults id
             * @property {Uint8Array|null} [stdout] SandboxResults stdout
             * @property {Uint8Array|null} [stderr] SandboxResults stderr
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SandboxResults.
             * @memberof actors.v1
             * @interface ISandboxResults
             * @augments actors.v1.SandboxResults.$Properties
             * @deprecated Use actors.v1.SandboxResults.$Properties instead.
             */

            /**
             * Shape of a SandboxResults.
             * @typedef {actors.v1.SandboxResults.$Properties} actors.v1.SandboxResults.$Shape
             */

            /**
             * Constructs a new SandboxResults.
             * @memberof actors.v1
             * @classdesc Represents a SandboxResults.
             * @constructor
             * @param {actors.v1.SandboxResults.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SandboxResults = function (properties) {
                this.results = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SandboxResults results.
             * @member {Array.<actors.v1.SandboxResult.$Properties>} results
             * @memberof actors.v1.SandboxResults
             * @instance
             */
            SandboxResults.prototype.results = $util.emptyArray;

            /**
             * SandboxResults id.
             * @member {number} id
             * @memberof actors.v1.SandboxResults
             * @instance
             */
            SandboxResults.prototype.id = 0;

            /**
             * SandboxResults stdout.
             * @member {Uint8Array} stdout
             * @memberof actors.v1.SandboxResults
             * @instance
             */
            SandboxResults.prototype.stdout = $util.newBuffer([]);

            /**
             * SandboxResults stderr.
             * @member {Uint8Array} stderr
             * @memberof actors.v1.SandboxResults
             * @instance
             */
            SandboxResults.prototype.stderr = $util.newBuffer([]);

            /**
             * Creates a new SandboxResults instance using the specified properties.
             * @function create
             * @memberof actors.v1.SandboxResults
             * @static
             * @param {actors.v1.SandboxResults.$Properties=} [properties] Properties to set
             * @returns {actors.v1.SandboxResults} SandboxResults instance
             * @type {{
             *   (properties: actors.v1.SandboxResults.$Shape): actors.v1.SandboxResults & actors.v1.SandboxResults.$Shape;
             *   (properties?: actors.v1.SandboxResults.$Properties): actors.v1.SandboxResults;
             * }}
             */
            SandboxResults.create = function(properties) {
                return new SandboxResults(properties);
            };

            /**
             * Encodes the specified SandboxResults message. Does not implicitly {@link actors.v1.SandboxResults.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.SandboxResults
             * @static
             * @param {actors.v1.SandboxResults.$Properties} message SandboxResults message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SandboxResults.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.results != null && message.results.length)
                    for (let i = 0; i < message.results.length; ++i)
                        $root.actors.v1.SandboxResult.encode(message.results[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.id);
                if (message.stdout != null && $Object.hasOwnProperty.call(message, "stdout") && message.stdout.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.stdout);
                if (message.stderr != null && $Object.hasOwnProperty.call(message, "stderr") && message.stderr.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.stderr);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SandboxResults message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.SandboxResults
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.SandboxResults & actors.v1.SandboxResults.$Shape} SandboxResults
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SandboxResults.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.SandboxResults();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.results && message.results.length))
                                message.results = [];
                            message.results.push($root.actors.v1.SandboxResult.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.stdout = value;
                            else
                                delete message.stdout;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.stderr = value;
                            else
                                delete message.stderr;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for SandboxResults
             * @function getTypeUrl
             * @memberof actors.v1.SandboxResults
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            SandboxResults.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.SandboxResults";
            };

            return SandboxResults;
        })();

        v1.Trajectory = (function() {

            /**
             * Properties of a Trajectory.
             * @typedef {Object} actors.v1.Trajectory.$Properties
             * @property {string|null} [key] Trajectory key
             * @property {string|null} [task] Trajectory task
             * @property {number|null} [group] Trajectory group
             * @property {number|null} [sample] Trajectory sample
             * @property {number|null} [attempt] Trajectory attempt
             * @property {number|null} [seed] Trajectory seed
             * @property {Uint8Array|null} [tokens] Trajectory tokens
             * @property {Uint8Array|null} [lossMask] Trajectory lossMask
             * @property {Uint8Array|null} [logprobs] Trajectory logprobs
             * @property {Uint8Array|null} [versions] Trajectory versions
             * @property {number|null} [reward] Trajectory reward
             * @property {string|null} [finish] Trajectory finish
             * @property {Array.<actors.v1.Turn.$Properties>|null} [turns] Trajectory turns
             * @property {number|null} [startedAt] Trajectory startedAt
             * @property {number|null} [seconds] Trajectory seconds
             * @property {Object.<string,number>|null} [metrics] Trajectory metrics
             * @property {number|null} [step] Trajectory step
             * @property {string|null} [prompt] Trajectory prompt
             * @property {number|null} [shared] Trajectory shared
             * @property {Array.<number>|null} [contexts] Trajectory contexts
             * @property {actors.v1.Stages.$Properties|null} [stages] Trajectory stages
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Trajectory.
             * @memberof actors.v1
             * @interface ITrajectory
             * @augments actors.v1.Trajectory.$Properties
             * @deprecated Use actors.v1.Trajectory.$Properties instead.
             */

            /**
             * Shape of a Trajectory.
             * @typedef {actors.v1.Trajectory.$Properties} actors.v1.Trajectory.$Shape
             */

            /**
             * Constructs a new Trajectory.
             * @memberof actors.v1
             * @classdesc Represents a Trajectory.
             * @constructor
             * @param {actors.v1.Trajectory.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Trajectory = function (properties) {
                this.turns = [];
                this.metrics = {};
                this.contexts = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Trajectory key.
             * @member {string} key
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.key = "";

            /**
             * Trajectory task.
             * @member {string} task
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.task = "";

            /**
             * Trajectory group.
             * @member {number} group
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.group = 0;

            /**
             * Trajectory sample.
             * @member {number} sample
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.sample = 0;

            /**
             * Trajectory attempt.
             * @member {number} attempt
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.attempt = 0;

            /**
             * Trajectory seed.
             * @member {number} seed
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.seed = 0;

            /**
             * Trajectory tokens.
             * @member {Uint8Array} tokens
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.tokens = $util.newBuffer([]);

            /**
             * Trajectory lossMask.
             * @member {Uint8Array} lossMask
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.lossMask = $util.newBuffer([]);

            /**
             * Trajectory logprobs.
             * @member {Uint8Array} logprobs
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.logprobs = $util.newBuffer([]);

            /**
             * Trajectory versions.
             * @member {Uint8Array} versions
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.versions = $util.newBuffer([]);

            /**
             * Trajectory reward.
             * @member {number} reward
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.reward = 0;

            /**
             * Trajectory finish.
             * @member {string} finish
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.finish = "";

            /**
             * Trajectory turns.
             * @member {Array.<actors.v1.Turn.$Properties>} turns
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.turns = $util.emptyArray;

            /**
             * Trajectory startedAt.
             * @member {number} startedAt
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.startedAt = 0;

            /**
             * Trajectory seconds.
             * @member {number} seconds
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.seconds = 0;

            /**
             * Trajectory metrics.
             * @member {Object.<string,number>} metrics
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.metrics = $util.emptyObject;

            /**
             * Trajectory step.
             * @member {number} step
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.step = 0;

            /**
             * Trajectory prompt.
             * @member {string} prompt
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.prompt = "";

            /**
             * Trajectory shared.
             * @member {number} shared
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.shared = 0;

            /**
             * Trajectory contexts.
             * @member {Array.<number>} contexts
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.contexts = $util.emptyArray;

            /**
             * Trajectory stages.
             * @member {actors.v1.Stages.$Properties|null|undefined} stages
             * @memberof actors.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.stages = null;

            /**
             * Creates a new Trajectory instance using the specified properties.
             * @function create
             * @memberof actors.v1.Trajectory
             * @static
             * @param {actors.v1.Trajectory.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Trajectory} Trajectory instance
             * @type {{
             *   (properties: actors.v1.Trajectory.$Shape): actors.v1.Trajectory & actors.v1.Trajectory.$Shape;
             *   (properties?: actors.v1.Trajectory.$Properties): actors.v1.Trajectory;
             * }}
             */
            Trajectory.create = function(properties) {
                return new Trajectory(properties);
            };

            /**
             * Encodes the specified Trajectory message. Does not implicitly {@link actors.v1.Trajectory.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Trajectory
             * @static
             * @param {actors.v1.Trajectory.$Properties} message Trajectory message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Trajectory.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.key != null && $Object.hasOwnProperty.call(message, "key") && message.key !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.key);
                if (message.task != null && $Object.hasOwnProperty.call(message, "task") && message.task !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.task);
                if (message.group != null && $Object.hasOwnProperty.call(message, "group") && message.group !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.group);
                if (message.sample != null && $Object.hasOwnProperty.call(message, "sample") && message.sample !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.sample);
                if (message.attempt != null && $Object.hasOwnProperty.call(message, "attempt") && message.attempt !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).uint32(message.attempt);
                if (message.seed != null && $Object.hasOwnProperty.call(message, "seed") && message.seed !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).uint32(message.seed);
                if (message.tokens != null && $Object.hasOwnProperty.call(message, "tokens") && message.tokens.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.tokens);
                if (message.lossMask != null && $Object.hasOwnProperty.call(message, "lossMask") && message.lossMask.length)
                    writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.lossMask);
                if (message.logprobs != null && $Object.hasOwnProperty.call(message, "logprobs") && message.logprobs.length)
                    writer.uint32(/* id 9, wireType 2 =*/74).bytes(message.logprobs);
                if (message.versions != null && $Object.hasOwnProperty.call(message, "versions") && message.versions.length)
                    writer.uint32(/* id 10, wireType 2 =*/82).bytes(message.versions);
                if (message.reward != null && $Object.hasOwnProperty.call(message, "reward") && !$Object.is(message.reward, 0))
                    writer.uint32(/* id 11, wireType 5 =*/93).float(message.reward);
                if (message.finish != null && $Object.hasOwnProperty.call(message, "finish") && message.finish !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.finish);
                if (message.turns != null && message.turns.length)
                    for (let i = 0; i < message.turns.length; ++i)
                        $root.actors.v1.Turn.encode(message.turns[i], writer.uint32(/* id 13, wireType 2 =*/106).fork(), _depth + 1).ldelim();
                if (message.startedAt != null && $Object.hasOwnProperty.call(message, "startedAt") && !$Object.is(message.startedAt, 0))
                    writer.uint32(/* id 14, wireType 1 =*/113).double(message.startedAt);
                if (message.seconds != null && $Object.hasOwnProperty.call(message, "seconds") && !$Object.is(message.seconds, 0))
                    writer.uint32(/* id 15, wireType 1 =*/121).double(message.seconds);
                if (message.metrics != null && $Object.hasOwnProperty.call(message, "metrics"))
                    for (let keys = $Object.keys(message.metrics), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 16, wireType 2 =*/130).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 5 =*/21).float(message.metrics[keys[i]]).ldelim();
                if (message.step != null && $Object.hasOwnProperty.call(message, "step") && message.step !== 0)
                    writer.uint32(/* id 17, wireType 0 =*/136).uint32(message.step);
                if (message.prompt != null && $Object.hasOwnProperty.call(message, "prompt") && message.prompt !== "")
                    writer.uint32(/* id 18, wireType 2 =*/146).string(message.prompt);
                if (message.contexts != null && message.contexts.length)
                    writer.uint32(/* id 19, wireType 2 =*/154).uint32s(message.contexts);
                if (message.shared != null && $Object.hasOwnProperty.call(message, "shared") && message.shared !== 0)
                    writer.uint32(/* id 20, wireType 0 =*/160).uint32(message.shared);
                if (message.stages != null && $Object.hasOwnProperty.call(message, "stages"))
                    $root.actors.v1.Stages.encode(message.stages, writer.uint32(/* id 21, wireType 2 =*/170).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Trajectory message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Trajectory
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Trajectory & actors.v1.Trajectory.$Shape} Trajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Trajectory.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Trajectory();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.key = value;
                            else
                                delete message.key;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.task = value;
                            else
                                delete message.task;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.group = value;
                            else
                                delete message.group;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.sample = value;
                            else
                                delete message.sample;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.attempt = value;
                            else
                                delete message.attempt;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.seed = value;
                            else
                                delete message.seed;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.tokens = value;
                            else
                                delete message.tokens;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.lossMask = value;
                            else
                                delete message.lossMask;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.logprobs = value;
                            else
                                delete message.logprobs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.versions = value;
                            else
                                delete message.versions;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.reward = value;
                            else
                                delete message.reward;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.finish = value;
                            else
                                delete message.finish;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if (!(message.turns && message.turns.length))
                                message.turns = [];
                            message.turns.push($root.actors.v1.Turn.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 14: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.startedAt = value;
                            else
                                delete message.startedAt;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.seconds = value;
                            else
                                delete message.seconds;
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            if (message.metrics === $util.emptyObject)
                                message.metrics = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = 0;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 5)
                                        break;
                                    value = reader.float();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.metrics, key);
                            message.metrics[key] = value;
                            continue;
                        }
                    case 17: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.step = value;
                            else
                                delete message.step;
                            continue;
                        }
                    case 18: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.prompt = value;
                            else
                                delete message.prompt;
                            continue;
                        }
                    case 20: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.shared = value;
                            else
                                delete message.shared;
                            continue;
                        }
                    case 19: {
                            if (wireType === 2) {
                                if (!(message.contexts && message.contexts.length))
                                    message.contexts = [];
                                reader.uint32s(message.contexts);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.contexts && message.contexts.length))
                                message.contexts = [];
                            message.contexts.push(reader.uint32());
                            continue;
                        }
                    case 21: {
                            if (wireType !== 2)
                                break;
                            message.stages = $root.actors.v1.Stages.decode(reader, reader.size(), $undefined, _depth + 1, message.stages);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Trajectory
             * @function getTypeUrl
             * @memberof actors.v1.Trajectory
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Trajectory.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Trajectory";
            };

            return Trajectory;
        })();

        v1.Stages = (function() {

            /**
             * Properties of a Stages.
             * @typedef {Object} actors.v1.Stages.$Properties
             * @property {number|null} [queued] Stages queued
             * @property {number|null} [init] Stages init
             * @property {number|null} [run] Stages run
             * @property {number|null} [generate] Stages generate
             * @property {number|null} [reward] Stages reward
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Stages.
             * @memberof actors.v1
             * @interface IStages
             * @augments actors.v1.Stages.$Properties
             * @deprecated Use actors.v1.Stages.$Properties instead.
             */

            /**
             * Shape of a Stages.
             * @typedef {actors.v1.Stages.$Properties} actors.v1.Stages.$Shape
             */

            /**
             * Constructs a new Stages.
             * @memberof actors.v1
             * @classdesc Represents a Stages.
             * @constructor
             * @param {actors.v1.Stages.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Stages = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Stages queued.
             * @member {number} queued
             * @memberof actors.v1.Stages
             * @instance
             */
            Stages.prototype.queued = 0;

            /**
             * Stages init.
             * @member {number} init
             * @memberof actors.v1.Stages
             * @instance
             */
            Stages.prototype.init = 0;

            /**
             * Stages run.
             * @member {number} run
             * @memberof actors.v1.Stages
             * @instance
             */
            Stages.prototype.run = 0;

            /**
             * Stages generate.
             * @member {number} generate
             * @memberof actors.v1.Stages
             * @instance
             */
            Stages.prototype.generate = 0;

            /**
             * Stages reward.
             * @member {number} reward
             * @memberof actors.v1.Stages
             * @instance
             */
            Stages.prototype.reward = 0;

            /**
             * Creates a new Stages instance using the specified properties.
             * @function create
             * @memberof actors.v1.Stages
             * @static
             * @param {actors.v1.Stages.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Stages} Stages instance
             * @type {{
             *   (properties: actors.v1.Stages.$Shape): actors.v1.Stages & actors.v1.Stages.$Shape;
             *   (properties?: actors.v1.Stages.$Properties): actors.v1.Stages;
             * }}
             */
            Stages.create = function(properties) {
                return new Stages(properties);
            };

            /**
             * Encodes the specified Stages message. Does not implicitly {@link actors.v1.Stages.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Stages
             * @static
             * @param {actors.v1.Stages.$Properties} message Stages message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Stages.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.queued != null && $Object.hasOwnProperty.call(message, "queued") && !$Object.is(message.queued, 0))
                    writer.uint32(/* id 1, wireType 1 =*/9).double(message.queued);
                if (message.init != null && $Object.hasOwnProperty.call(message, "init") && !$Object.is(message.init, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.init);
                if (message.run != null && $Object.hasOwnProperty.call(message, "run") && !$Object.is(message.run, 0))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.run);
                if (message.generate != null && $Object.hasOwnProperty.call(message, "generate") && !$Object.is(message.generate, 0))
                    writer.uint32(/* id 4, wireType 1 =*/33).double(message.generate);
                if (message.reward != null && $Object.hasOwnProperty.call(message, "reward") && !$Object.is(message.reward, 0))
                    writer.uint32(/* id 5, wireType 1 =*/41).double(message.reward);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Stages message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Stages
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Stages & actors.v1.Stages.$Shape} Stages
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Stages.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Stages();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.queued = value;
                            else
                                delete message.queued;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.init = value;
                            else
                                delete message.init;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.run = value;
                            else
                                delete message.run;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.generate = value;
                            else
                                delete message.generate;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.reward = value;
                            else
                                delete message.reward;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Stages
             * @function getTypeUrl
             * @memberof actors.v1.Stages
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Stages.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Stages";
            };

            return Stages;
        })();

        v1.Turn = (function() {

            /**
             * Properties of a Turn.
             * @typedef {Object} actors.v1.Turn.$Properties
             * @property {number|null} [start] Turn start
             * @property {number|null} [end] Turn end
             * @property {string|null} [action] Turn action
             * @property {string|null} [observation] Turn observation
             * @property {number|null} [reward] Turn reward
             * @property {number|null} [potential] Turn potential
             * @property {boolean|null} [summary] Turn summary
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Turn.
             * @memberof actors.v1
             * @interface ITurn
             * @augments actors.v1.Turn.$Properties
             * @deprecated Use actors.v1.Turn.$Properties instead.
             */

            /**
             * Shape of a Turn.
             * @typedef {actors.v1.Turn.$Properties} actors.v1.Turn.$Shape
             */

            /**
             * Constructs a new Turn.
             * @memberof actors.v1
             * @classdesc Represents a Turn.
             * @constructor
             * @param {actors.v1.Turn.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Turn = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Turn start.
             * @member {number} start
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.start = 0;

            /**
             * Turn end.
             * @member {number} end
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.end = 0;

            /**
             * Turn action.
             * @member {string} action
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.action = "";

            /**
             * Turn observation.
             * @member {string} observation
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.observation = "";

            /**
             * Turn reward.
             * @member {number} reward
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.reward = 0;

            /**
             * Turn potential.
             * @member {number} potential
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.potential = 0;

            /**
             * Turn summary.
             * @member {boolean} summary
             * @memberof actors.v1.Turn
             * @instance
             */
            Turn.prototype.summary = false;

            /**
             * Creates a new Turn instance using the specified properties.
             * @function create
             * @memberof actors.v1.Turn
             * @static
             * @param {actors.v1.Turn.$Properties=} [properties] Properties to set
             * @returns {actors.v1.Turn} Turn instance
             * @type {{
             *   (properties: actors.v1.Turn.$Shape): actors.v1.Turn & actors.v1.Turn.$Shape;
             *   (properties?: actors.v1.Turn.$Properties): actors.v1.Turn;
             * }}
             */
            Turn.create = function(properties) {
                return new Turn(properties);
            };

            /**
             * Encodes the specified Turn message. Does not implicitly {@link actors.v1.Turn.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.Turn
             * @static
             * @param {actors.v1.Turn.$Properties} message Turn message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Turn.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.start != null && $Object.hasOwnProperty.call(message, "start") && message.start !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.start);
                if (message.end != null && $Object.hasOwnProperty.call(message, "end") && message.end !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.end);
                if (message.action != null && $Object.hasOwnProperty.call(message, "action") && message.action !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.action);
                if (message.observation != null && $Object.hasOwnProperty.call(message, "observation") && message.observation !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.observation);
                if (message.reward != null && $Object.hasOwnProperty.call(message, "reward") && !$Object.is(message.reward, 0))
                    writer.uint32(/* id 5, wireType 5 =*/45).float(message.reward);
                if (message.potential != null && $Object.hasOwnProperty.call(message, "potential") && !$Object.is(message.potential, 0))
                    writer.uint32(/* id 6, wireType 5 =*/53).float(message.potential);
                if (message.summary != null && $Object.hasOwnProperty.call(message, "summary") && message.summary !== false)
                    writer.uint32(/* id 7, wireType 0 =*/56).bool(message.summary);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Turn message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.Turn
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.Turn & actors.v1.Turn.$Shape} Turn
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Turn.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.Turn();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.start = value;
                            else
                                delete message.start;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.end = value;
                            else
                                delete message.end;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.action = value;
                            else
                                delete message.action;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.observation = value;
                            else
                                delete message.observation;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.reward = value;
                            else
                                delete message.reward;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.potential = value;
                            else
                                delete message.potential;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.summary = value;
                            else
                                delete message.summary;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for Turn
             * @function getTypeUrl
             * @memberof actors.v1.Turn
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            Turn.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.Turn";
            };

            return Turn;
        })();

        v1.GenerateRequest = (function() {

            /**
             * Properties of a GenerateRequest.
             * @typedef {Object} actors.v1.GenerateRequest.$Properties
             * @property {Uint8Array|null} [tokens] GenerateRequest tokens
             * @property {number|null} [maxTokens] GenerateRequest maxTokens
             * @property {number|null} [temperature] GenerateRequest temperature
             * @property {number|null} [topK] GenerateRequest topK
             * @property {number|null} [topP] GenerateRequest topP
             * @property {Array.<number>|null} [stop] GenerateRequest stop
             * @property {number|null} [seed] GenerateRequest seed
             * @property {string|null} [session] GenerateRequest session
             * @property {number|null} [minP] GenerateRequest minP
             * @property {number|null} [repetitionPenalty] GenerateRequest repetitionPenalty
             * @property {number|null} [presencePenalty] GenerateRequest presencePenalty
             * @property {number|null} [frequencyPenalty] GenerateRequest frequencyPenalty
             * @property {number|null} [minTokens] GenerateRequest minTokens
             * @property {Array.<string>|null} [stopStrings] GenerateRequest stopStrings
             * @property {number|null} [logprobs] GenerateRequest logprobs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GenerateRequest.
             * @memberof actors.v1
             * @interface IGenerateRequest
             * @augments actors.v1.GenerateRequest.$Properties
             * @deprecated Use actors.v1.GenerateRequest.$Properties instead.
             */

            /**
             * Shape of a GenerateRequest.
             * @typedef {actors.v1.GenerateRequest.$Properties} actors.v1.GenerateRequest.$Shape
             */

            /**
             * Constructs a new GenerateRequest.
             * @memberof actors.v1
             * @classdesc Represents a GenerateRequest.
             * @constructor
             * @param {actors.v1.GenerateRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GenerateRequest = function (properties) {
                this.stop = [];
                this.stopStrings = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * GenerateRequest tokens.
             * @member {Uint8Array} tokens
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.tokens = $util.newBuffer([]);

            /**
             * GenerateRequest maxTokens.
             * @member {number} maxTokens
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.maxTokens = 0;

            /**
             * GenerateRequest temperature.
             * @member {number} temperature
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.temperature = 0;

            /**
             * GenerateRequest topK.
             * @member {number} topK
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.topK = 0;

            /**
             * GenerateRequest topP.
             * @member {number} topP
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.topP = 0;

            /**
             * GenerateRequest stop.
             * @member {Array.<number>} stop
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.stop = $util.emptyArray;

            /**
             * GenerateRequest seed.
             * @member {number} seed
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.seed = 0;

            /**
             * GenerateRequest session.
             * @member {string} session
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.session = "";

            /**
             * GenerateRequest minP.
             * @member {number} minP
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.minP = 0;

            /**
             * GenerateRequest repetitionPenalty.
             * @member {number} repetitionPenalty
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.repetitionPenalty = 0;

            /**
             * GenerateRequest presencePenalty.
             * @member {number} presencePenalty
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.presencePenalty = 0;

            /**
             * GenerateRequest frequencyPenalty.
             * @member {number} frequencyPenalty
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.frequencyPenalty = 0;

            /**
             * GenerateRequest minTokens.
             * @member {number} minTokens
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.minTokens = 0;

            /**
             * GenerateRequest stopStrings.
             * @member {Array.<string>} stopStrings
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.stopStrings = $util.emptyArray;

            /**
             * GenerateRequest logprobs.
             * @member {number} logprobs
             * @memberof actors.v1.GenerateRequest
             * @instance
             */
            GenerateRequest.prototype.logprobs = 0;

            /**
             * Creates a new GenerateRequest instance using the specified properties.
             * @function create
             * @memberof actors.v1.GenerateRequest
             * @static
             * @param {actors.v1.GenerateRequest.$Properties=} [properties] Properties to set
             * @returns {actors.v1.GenerateRequest} GenerateRequest instance
             * @type {{
             *   (properties: actors.v1.GenerateRequest.$Shape): actors.v1.GenerateRequest & actors.v1.GenerateRequest.$Shape;
             *   (properties?: actors.v1.GenerateRequest.$Properties): actors.v1.GenerateRequest;
             * }}
             */
            GenerateRequest.create = function(properties) {
                return new GenerateRequest(properties);
            };

            /**
             * Encodes the specified GenerateRequest message. Does not implicitly {@link actors.v1.GenerateRequest.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.GenerateRequest
             * @static
             * @param {actors.v1.GenerateRequest.$Properties} message GenerateRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GenerateRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tokens != null && $Object.hasOwnProperty.call(message, "tokens") && message.tokens.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.tokens);
                if (message.maxTokens != null && $Object.hasOwnProperty.call(message, "maxTokens") && message.maxTokens !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.maxTokens);
                if (message.temperature != null && $Object.hasOwnProperty.call(message, "temperature") && !$Object.is(message.temperature, 0))
                    writer.uint32(/* id 3, wireType 5 =*/29).float(message.temperature);
                if (message.topK != null && $Object.hasOwnProperty.call(message, "topK") && message.topK !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).uint32(message.topK);
                if (message.topP != null && $Object.hasOwnProperty.call(message, "topP") && !$Object.is(message.topP, 0))
                    writer.uint32(/* id 5, wireType 5 =*/45).float(message.topP);
                if (message.stop != null && message.stop.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).uint32s(message.stop);
                if (message.seed != null && $Object.hasOwnProperty.call(message, "seed") && message.seed !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.seed);
                if (message.session != null && $Object.hasOwnProperty.call(message, "session") && message.session !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.session);
                if (message.minP != null && $Object.hasOwnProperty.call(message, "minP") && !$Object.is(message.minP, 0))
                    writer.uint32(/* id 9, wireType 5 =*/77).float(message.minP);
                if (message.repetitionPenalty != null && $Object.hasOwnProperty.call(message, "repetitionPenalty") && !$Object.is(message.repetitionPenalty, 0))
                    writer.uint32(/* id 10, wireType 5 =*/85).float(message.repetitionPenalty);
                if (message.presencePenalty != null && $Object.hasOwnProperty.call(message, "presencePenalty") && !$Object.is(message.presencePenalty, 0))
                    writer.uint32(/* id 11, wireType 5 =*/93).float(message.presencePenalty);
                if (message.frequencyPenalty != null && $Object.hasOwnProperty.call(message, "frequencyPenalty") && !$Object.is(message.frequencyPenalty, 0))
                    writer.uint32(/* id 12, wireType 5 =*/101).float(message.frequencyPenalty);
                if (message.minTokens != null && $Object.hasOwnProperty.call(message, "minTokens") && message.minTokens !== 0)
                    writer.uint32(/* id 13, wireType 0 =*/104).uint32(message.minTokens);
                if (message.stopStrings != null && message.stopStrings.length)
                    for (let i = 0; i < message.stopStrings.length; ++i)
                        writer.uint32(/* id 14, wireType 2 =*/114).string(message.stopStrings[i]);
                if (message.logprobs != null && $Object.hasOwnProperty.call(message, "logprobs") && message.logprobs !== 0)
                    writer.uint32(/* id 15, wireType 0 =*/120).uint32(message.logprobs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GenerateRequest message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.GenerateRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.GenerateRequest & actors.v1.GenerateRequest.$Shape} GenerateRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GenerateRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.GenerateRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.tokens = value;
                            else
                                delete message.tokens;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.maxTokens = value;
                            else
                                delete message.maxTokens;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.temperature = value;
                            else
                                delete message.temperature;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.topK = value;
                            else
                                delete message.topK;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.topP = value;
                            else
                                delete message.topP;
                            continue;
                        }
                    case 6: {
                            if (wireType === 2) {
                                if (!(message.stop && message.stop.length))
                                    message.stop = [];
                                reader.uint32s(message.stop);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.stop && message.stop.length))
                                message.stop = [];
                            message.stop.push(reader.uint32());
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.seed = value;
                            else
                                delete message.seed;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.session = value;
                            else
                                delete message.session;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.minP = value;
                            else
                                delete message.minP;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.repetitionPenalty = value;
                            else
                                delete message.repetitionPenalty;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.presencePenalty = value;
                            else
                                delete message.presencePenalty;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 5)
                                break;
                            if (!$Object.is(value = reader.float(), 0))
                                message.frequencyPenalty = value;
                            else
                                delete message.frequencyPenalty;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.minTokens = value;
                            else
                                delete message.minTokens;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            if (!(message.stopStrings && message.stopStrings.length))
                                message.stopStrings = [];
                            message.stopStrings.push(reader.stringVerify());
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.logprobs = value;
                            else
                                delete message.logprobs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for GenerateRequest
             * @function getTypeUrl
             * @memberof actors.v1.GenerateRequest
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            GenerateRequest.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.GenerateRequest";
            };

            return GenerateRequest;
        })();

        v1.GenerateReply = (function() {

            /**
             * Properties of a GenerateReply.
             * @typedef {Object} actors.v1.GenerateReply.$Properties
             * @property {Uint8Array|null} [tokens] GenerateReply tokens
             * @property {Uint8Array|null} [logprobs] GenerateReply logprobs
             * @property {number|null} [version] GenerateReply version
             * @property {string|null} [finish] GenerateReply finish
             * @property {Uint8Array|null} [versions] GenerateReply versions
             * @property {string|null} [stopString] GenerateReply stopString
             * @property {Uint8Array|null} [topTokens] GenerateReply topTokens
             * @property {Uint8Array|null} [topLogprobs] GenerateReply topLogprobs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GenerateReply.
             * @memberof actors.v1
             * @interface IGenerateReply
             * @augments actors.v1.GenerateReply.$Properties
             * @deprecated Use actors.v1.GenerateReply.$Properties instead.
             */

            /**
             * Shape of a GenerateReply.
             * @typedef {actors.v1.GenerateReply.$Properties} actors.v1.GenerateReply.$Shape
             */

            /**
             * Constructs a new GenerateReply.
             * @memberof actors.v1
             * @classdesc Represents a GenerateReply.
             * @constructor
             * @param {actors.v1.GenerateReply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GenerateReply = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * GenerateReply tokens.
             * @member {Uint8Array} tokens
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.tokens = $util.newBuffer([]);

            /**
             * GenerateReply logprobs.
             * @member {Uint8Array} logprobs
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.logprobs = $util.newBuffer([]);

            /**
             * GenerateReply version.
             * @member {number} version
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.version = 0;

            /**
             * GenerateReply finish.
             * @member {string} finish
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.finish = "";

            /**
             * GenerateReply versions.
             * @member {Uint8Array} versions
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.versions = $util.newBuffer([]);

            /**
             * GenerateReply stopString.
             * @member {string} stopString
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.stopString = "";

            /**
             * GenerateReply topTokens.
             * @member {Uint8Array} topTokens
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.topTokens = $util.newBuffer([]);

            /**
             * GenerateReply topLogprobs.
             * @member {Uint8Array} topLogprobs
             * @memberof actors.v1.GenerateReply
             * @instance
             */
            GenerateReply.prototype.topLogprobs = $util.newBuffer([]);

            /**
             * Creates a new GenerateReply instance using the specified properties.
             * @function create
             * @memberof actors.v1.GenerateReply
             * @static
             * @param {actors.v1.GenerateReply.$Properties=} [properties] Properties to set
             * @returns {actors.v1.GenerateReply} GenerateReply instance
             * @type {{
             *   (properties: actors.v1.GenerateReply.$Shape): actors.v1.GenerateReply & actors.v1.GenerateReply.$Shape;
             *   (properties?: actors.v1.GenerateReply.$Properties): actors.v1.GenerateReply;
             * }}
             */
            GenerateReply.create = function(properties) {
                return new GenerateReply(properties);
            };

            /**
             * Encodes the specified GenerateReply message. Does not implicitly {@link actors.v1.GenerateReply.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.GenerateReply
             * @static
             * @param {actors.v1.GenerateReply.$Properties} message GenerateReply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GenerateReply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.tokens != null && $Object.hasOwnProperty.call(message, "tokens") && message.tokens.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.tokens);
                if (message.logprobs != null && $Object.hasOwnProperty.call(message, "logprobs") && message.logprobs.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.logprobs);
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).uint32(message.version);
                if (message.finish != null && $Object.hasOwnProperty.call(message, "finish") && message.finish !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.finish);
                if (message.versions != null && $Object.hasOwnProperty.call(message, "versions") && message.versions.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).bytes(message.versions);
                if (message.stopString != null && $Object.hasOwnProperty.call(message, "stopString") && message.stopString !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.stopString);
                if (message.topTokens != null && $Object.hasOwnProperty.call(message, "topTokens") && message.topTokens.length)
                    writer.uint32(/* id 7, wireType 2 =*/58).bytes(message.topTokens);
                if (message.topLogprobs != null && $Object.hasOwnProperty.call(message, "topLogprobs") && message.topLogprobs.length)
                    writer.uint32(/* id 8, wireType 2 =*/66).bytes(message.topLogprobs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GenerateReply message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.GenerateReply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.GenerateReply & actors.v1.GenerateReply.$Shape} GenerateReply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GenerateReply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.GenerateReply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.tokens = value;
                            else
                                delete message.tokens;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.logprobs = value;
                            else
                                delete message.logprobs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.finish = value;
                            else
                                delete message.finish;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.versions = value;
                            else
                                delete message.versions;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stopString = value;
                            else
                                delete message.stopString;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.topTokens = value;
                            else
                                delete message.topTokens;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.topLogprobs = value;
                            else
                                delete message.topLogprobs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for GenerateReply
             * @function getTypeUrl
             * @memberof actors.v1.GenerateReply
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            GenerateReply.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.GenerateReply";
            };

            return GenerateReply;
        })();

        v1.WeightsRef = (function() {

            /**
             * Properties of a WeightsRef.
             * @typedef {Object} actors.v1.WeightsRef.$Properties
             * @property {number|null} [version] WeightsRef version
             * @property {string|null} [path] WeightsRef path
             * @property {number|null} [bytes] WeightsRef bytes
             * @property {string|null} [checksum] WeightsRef checksum
             * @property {string|null} [host] WeightsRef host
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WeightsRef.
             * @memberof actors.v1
             * @interface IWeightsRef
             * @augments actors.v1.WeightsRef.$Properties
             * @deprecated Use actors.v1.WeightsRef.$Properties instead.
             */

            /**
             * Shape of a WeightsRef.
             * @typedef {actors.v1.WeightsRef.$Properties} actors.v1.WeightsRef.$Shape
             */

            /**
             * Constructs a new WeightsRef.
             * @memberof actors.v1
             * @classdesc Represents a WeightsRef.
             * @constructor
             * @param {actors.v1.WeightsRef.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WeightsRef = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WeightsRef version.
             * @member {number} version
             * @memberof actors.v1.WeightsRef
             * @instance
             */
            WeightsRef.prototype.version = 0;

            /**
             * WeightsRef path.
             * @member {string} path
             * @memberof actors.v1.WeightsRef
             * @instance
             */
            WeightsRef.prototype.path = "";

            /**
             * WeightsRef bytes.
             * @member {number} bytes
             * @memberof actors.v1.WeightsRef
             * @instance
             */
            WeightsRef.prototype.bytes = 0;

            /**
             * WeightsRef checksum.
             * @member {string} checksum
             * @memberof actors.v1.WeightsRef
             * @instance
             */
            WeightsRef.prototype.checksum = "";

            /**
             * WeightsRef host.
             * @member {string} host
             * @memberof actors.v1.WeightsRef
             * @instance
             */
            WeightsRef.prototype.host = "";

            /**
             * Creates a new WeightsRef instance using the specified properties.
             * @function create
             * @memberof actors.v1.WeightsRef
             * @static
             * @param {actors.v1.WeightsRef.$Properties=} [properties] Properties to set
             * @returns {actors.v1.WeightsRef} WeightsRef instance
             * @type {{
             *   (properties: actors.v1.WeightsRef.$Shape): actors.v1.WeightsRef & actors.v1.WeightsRef.$Shape;
             *   (properties?: actors.v1.WeightsRef.$Properties): actors.v1.WeightsRef;
             * }}
             */
            WeightsRef.create = function(properties) {
                return new WeightsRef(properties);
            };

            /**
             * Encodes the specified WeightsRef message. Does not implicitly {@link actors.v1.WeightsRef.verify|verify} messages.
             * @function encode
             * @memberof actors.v1.WeightsRef
             * @static
             * @param {actors.v1.WeightsRef.$Properties} message WeightsRef message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WeightsRef.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).uint32(message.version);
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.path);
                if (message.bytes != null && $Object.hasOwnProperty.call(message, "bytes") && !$Object.is(message.bytes, 0))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.bytes);
                if (message.checksum != null && $Object.hasOwnProperty.call(message, "checksum") && message.checksum !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.checksum);
                if (message.host != null && $Object.hasOwnProperty.call(message, "host") && message.host !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.host);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WeightsRef message from the specified reader or buffer.
             * @function decode
             * @memberof actors.v1.WeightsRef
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {actors.v1.WeightsRef & actors.v1.WeightsRef.$Shape} WeightsRef
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WeightsRef.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.actors.v1.WeightsRef();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.bytes = value;
                            else
                                delete message.bytes;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.checksum = value;
                            else
                                delete message.checksum;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.host = value;
                            else
                                delete message.host;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            /**
             * Gets the type url for WeightsRef
             * @function getTypeUrl
             * @memberof actors.v1.WeightsRef
             * @static
             * @param {string} [prefix] Custom type url prefix, defaults to `"type.googleapis.com"`
             * @returns {string} The type url
             */
            WeightsRef.getTypeUrl = function(prefix) {
                if (prefix === $undefined)
                    prefix = "type.googleapis.com";
                return prefix + "/actors.v1.WeightsRef";
            };

            return WeightsRef;
        })();

        return v1;
    })();

    return actors;
})();

export {
  $root as default
};
