// The page that Pentobi loads instead of its window: asks for games and answers with its moves.
import QtQml
import pentobi

QtObject {
    id: page
    readonly property string server: Qt.application.arguments[Qt.application.arguments.length - 1]
    property string answerFile

    property GameModel game: GameModel {}
    property PlayerModel player: PlayerModel {
        gameVariant: page.game.gameVariant
        onMoveGenerated: move => {
            if (!move.isNull()) {
                page.game.playMove(move);
                page.game.save(page.answerFile);
            }
            page.ask(move.isNull() ? "pass" : "moved");
        }
    }

    // The reply to an answer is the next game: {"game": file, "answer": file, "level": number}.
    function ask(answer) {
        const request = new XMLHttpRequest();
        request.onreadystatechange = () => {
            if (request.readyState === XMLHttpRequest.DONE && request.status === 200)
                page.think(JSON.parse(request.responseText));
            else if (request.readyState === XMLHttpRequest.DONE)
                Qt.exit(0);
        };
        request.open("POST", server);
        request.send(answer);
    }

    function think(order) {
        if (!game.openFile(order.game)) {
            ask("error " + game.getError());
            return;
        }
        game.goEnd();
        answerFile = order.answer;
        player.level = order.level;
        player.startGenMove(game);
    }

    Component.onCompleted: ask("ready")
}
